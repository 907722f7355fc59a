/** The task of the program that moves descriptors, as JSON in its first argument. */
export interface MoveTask {
  direction: 'onto-mount' | 'off-mount'
  mountNamespace: string
  mountPoint: string
  mountId: number
  /** The source of the mount, which identifies it. */
  source: string
}
