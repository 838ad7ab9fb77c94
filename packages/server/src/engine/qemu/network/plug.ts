/** How a guest is plugged into the network of its project. */
export interface Plug {
  /** The interface on the host's side. */
  tap: string
  mac: string
  ip: string
}
