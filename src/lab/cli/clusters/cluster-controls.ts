/** Answers the requests that commands send to a cluster's process. */
import type { LocalCluster } from '#platform/engines/local'
import { RemediumError, type System } from '#spec'
import type { ControlRequest, UserRecords } from './control-socket.ts'
import { createManualFaults, type ManualFaults } from './manual-faults.ts'
import { setNodeState } from './node-state.ts'

export interface ControlledCluster {
  readonly system: System | undefined
  /** Undefined while the cluster starts. */
  cluster(): LocalCluster | undefined
  status(): Promise<unknown>
  /** Stops the cluster; resolves when it is closed. */
  stop(): Promise<void>
}

const recordUsers = ({ telemetry }: LocalCluster, { requests, journeys }: UserRecords): void => {
  if (telemetry === undefined)
    throw new RemediumError('bad-argument', 'The cluster has no system, so it has no telemetry.')
  telemetry.record(requests, journeys)
}

export const createClusterControls = ({
  system,
  cluster,
  status,
  stop,
}: ControlledCluster): ((request: ControlRequest) => Promise<unknown>) => {
  let faults: ManualFaults | undefined
  const requireCluster = (): LocalCluster => {
    const found = cluster()
    if (found === undefined) throw new RemediumError('not-ready', 'The cluster is still starting.')
    return found
  }
  const faultsOf = (ready: LocalCluster): ManualFaults => {
    if (system === undefined)
      throw new RemediumError('bad-argument', 'The cluster has no system to inject faults into.', {
        hint: 'Start a cluster with a system: "remedium cluster up --system SYSTEM".',
      })
    faults ??= createManualFaults(ready, system)
    return faults
  }
  return async (request) => {
    switch (request.command) {
      case 'status':
        return await status()
      case 'reset': {
        const report = await requireCluster().reset()
        faults?.forget()
        return report
      }
      case 'inject':
        return await faultsOf(requireCluster()).inject(request)
      case 'recover':
        return await faultsOf(requireCluster()).recover()
      case 'record':
        return recordUsers(requireCluster(), request)
      case 'node':
        return await setNodeState(requireCluster(), request.node, request.state)
      case 'down':
        return await stop()
      default:
        throw new RemediumError(
          'bad-argument',
          `There is no command "${(request as { command: string }).command}" for a cluster.`,
        )
    }
  }
}
