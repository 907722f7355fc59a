/** What the program that moves descriptors is asked to do, as JSON in its first argument. */
export interface MoveTask {
  direction: 'onto-mount' | 'off-mount'
  mountNamespace: string
  mountPoint: string
  mountId: number
  /** Of the mount, which tells it from others. */
  source: string
}
