/** What `remedium cluster up` was asked for. Paths are absolute: the cluster may run in another folder. */
export interface UpOptions {
  readonly system: string | undefined
  readonly name: string | undefined
  readonly nodes: number
  readonly port: number
  readonly kubeconfig: string | undefined
  readonly auditLog: string | undefined
  readonly telemetry: string | undefined
  readonly seed: string
}
