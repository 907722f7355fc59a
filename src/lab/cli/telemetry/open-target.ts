/** Opens the telemetry of a cluster or of a file. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { telemetryFileOf } from '#platform/engines/folders'
import { type OpenTelemetry, openTelemetry } from '#platform/telemetry'
import { RemediumError, type SqlAnswer, type TelemetryQuery } from '#spec'
import { commandCluster } from '../clusters/command-cluster.ts'
import { sendControlRequest } from '../clusters/control-socket.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { ClusterStatus } from '../clusters/run-cluster.ts'

const TIMEOUT_MS = 5000
const QUERY_TIMEOUT_MS = 60_000

/** Queries that the process of the cluster answers. */
const toRemoteTelemetry = (name: string): OpenTelemetry => {
  const ask = (method: string, given: readonly unknown[]): Promise<unknown> =>
    commandCluster(name, { command: 'telemetry', method, arguments: given }, QUERY_TIMEOUT_MS)
  const query = new Proxy({} as TelemetryQuery, {
    get:
      (_, method) =>
      (...given: readonly unknown[]) =>
        ask(String(method), given),
  })
  return {
    query,
    sql: (...given) => ask('sql', given) as Promise<SqlAnswer>,
    async close() {},
  }
}

/** The process of a running cluster reports the path, which the user may have chosen. A simulated cluster has no file. */
const openCluster = async (name: string): Promise<OpenTelemetry> => {
  const { folder, record, alive } = findCluster(name)
  if (record.system === undefined)
    throw new RemediumError('bad-argument', `The cluster "${name}" has no system, so it has no telemetry.`, {
      hint: 'Start a cluster with a system: "remedium cluster up --system SYSTEM".',
    })
  const status = alive
    ? ((await sendControlRequest(folder, { command: 'status' }, TIMEOUT_MS)) as ClusterStatus)
    : undefined
  if (record.engine === 'sim') return toRemoteTelemetry(name)
  return openTelemetry(status?.telemetry ?? telemetryFileOf(folder))
}

export const openTarget = async (target: string): Promise<OpenTelemetry> => {
  const isFile = target.includes('/') || existsSync(target)
  return isFile ? openTelemetry(resolve(target)) : await openCluster(target)
}
