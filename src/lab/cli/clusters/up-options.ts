/** The options of `remedium cluster up`. Paths are absolute, because the cluster may run in another working directory. */
import type { EngineName } from '#spec'

export interface UpOptions {
  readonly engine: EngineName
  readonly system: string | undefined
  readonly name: string | undefined
  readonly nodes: number
  readonly port: number
  readonly kubeconfig: string | undefined
  readonly auditLog: string | undefined
  readonly telemetry: string | undefined
  readonly seed: string
}
