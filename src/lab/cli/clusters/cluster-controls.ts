/** Answers the requests that commands send to a cluster's process. */
import { RemediumError, type System, type TelemetryQuery } from '#spec'
import type { ControlRequest, UserRecords } from './control-socket.ts'
import type { ControlledCluster } from './controlled-cluster.ts'
import { createManualFaults, type ManualFaults } from './manual-faults.ts'
import { setNodeState } from './node-state.ts'

export interface ClusterControls {
  readonly system: System | undefined
  /** Undefined while the cluster starts. */
  cluster(): ControlledCluster | undefined
  status(): Promise<unknown>
  /** Stops the cluster; resolves when it is closed. */
  stop(): Promise<void>
}

const recordUsers = ({ telemetry }: ControlledCluster, { requests, journeys }: UserRecords): void => {
  if (telemetry === undefined)
    throw new RemediumError('bad-argument', 'The cluster has no system, so it has no telemetry.')
  telemetry.record(requests, journeys)
}

/** The queries that other processes can make if the telemetry is in memory. */
const QUERIES = [
  'extent',
  'services',
  'logs',
  'spans',
  'trace',
  'errorSamples',
  'endpoints',
  'graph',
  'journeys',
  'metricNames',
  'metric',
  'events',
  'alerts',
] as const satisfies readonly (keyof TelemetryQuery)[]

const queryTelemetry = async (
  { telemetry }: ControlledCluster,
  { method, arguments: given }: Extract<ControlRequest, { command: 'telemetry' }>,
): Promise<unknown> => {
  if (telemetry === undefined)
    throw new RemediumError('bad-argument', 'The cluster has no system, so it has no telemetry.')
  await telemetry.flush()
  if (method === 'sql') return await telemetry.sql(...(given as Parameters<typeof telemetry.sql>))
  const query = QUERIES.find((name) => name === method)
  if (query === undefined) throw new RemediumError('bad-argument', `There is no query "${method}".`)
  // JSON has no undefined.
  const filters = given.map((value) => value ?? undefined)
  return await telemetry.query[query](...(filters as [never]))
}

export const createClusterControls = ({
  system,
  cluster,
  status,
  stop,
}: ClusterControls): ((request: ControlRequest) => Promise<unknown>) => {
  let faults: ManualFaults | undefined
  const requireCluster = (): ControlledCluster => {
    const found = cluster()
    if (found === undefined) throw new RemediumError('not-ready', 'The cluster is still starting.')
    return found
  }
  const faultsOf = (ready: ControlledCluster): ManualFaults => {
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
      case 'telemetry':
        return await queryTelemetry(requireCluster(), request)
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
