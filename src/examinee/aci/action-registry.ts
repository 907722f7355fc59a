/** All actions, in the order in which they are listed to agents. */
import { describe } from './actions/describe.ts'
import { execShell } from './actions/exec-shell.ts'
import { getAlerts } from './actions/get-alerts.ts'
import { getLogs } from './actions/get-logs.ts'
import { getMetrics } from './actions/get-metrics.ts'
import { getObjects } from './actions/get-objects.ts'
import { getTopology } from './actions/get-topology.ts'
import { getTraces } from './actions/get-traces.ts'
import { queryTelemetry } from './actions/query-telemetry.ts'
import { runPlaybook } from './actions/run-playbook.ts'
import { submit } from './actions/submit.ts'
import type { Action } from './define-action.ts'

export const ACTIONS: readonly Action[] = [
  ...[getAlerts, getMetrics, getTopology, getTraces, getLogs, queryTelemetry],
  ...[getObjects, describe, execShell, runPlaybook, submit],
]
