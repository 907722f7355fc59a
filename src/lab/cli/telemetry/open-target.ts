/** Opens the telemetry of a cluster or of a file. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { telemetryFileOf } from '#platform/engines/folders'
import { type OpenTelemetry, openTelemetry } from '#platform/telemetry'
import { RemediumError } from '#spec'
import { sendControlRequest } from '../clusters/control-socket.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { ClusterStatus } from '../clusters/run-local-cluster.ts'

const TIMEOUT_MS = 5000

/** The process of a running cluster reports the path, which the user may have chosen. */
const fileOfCluster = async (name: string): Promise<string> => {
  const { folder, record, alive } = findCluster(name)
  if (record.system === undefined)
    throw new RemediumError('bad-argument', `The cluster "${name}" has no system, so it has no telemetry.`, {
      hint: 'Start a cluster with a system: "remedium cluster up --system SYSTEM".',
    })
  const status = alive
    ? ((await sendControlRequest(folder, { command: 'status' }, TIMEOUT_MS)) as ClusterStatus)
    : undefined
  return status?.telemetry ?? telemetryFileOf(folder)
}

export const openTarget = async (target: string): Promise<OpenTelemetry> => {
  const isFile = target.includes('/') || existsSync(target)
  return openTelemetry(isFile ? resolve(target) : await fileOfCluster(target))
}
