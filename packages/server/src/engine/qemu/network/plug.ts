/** How a guest is plugged into the network of its project. */
export interface Plug {
  /** The interface on the host's side. */
  tap: string
  mac: string
  ip: string
  /** What the names of its network end in; runs of earlier versions do not say. */
  domain?: string
  /** How the host gets to it (`ground.ts`); by route where nothing is said. */
  reach?: 'route' | 'door'
}
