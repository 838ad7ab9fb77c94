/** How a guest is plugged into the network of its project. */
export interface Plug {
  /** The interface on the host's side. */
  tap: string
  mac: string
  ip: string
  /** How the host gets to it (`ground.ts`); by route where nothing is said. */
  reach?: 'route' | 'door'
}
