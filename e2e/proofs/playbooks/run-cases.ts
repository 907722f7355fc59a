/** Runs cases through Ansible, many in one process, and through the interpreter, and compares the results. */
import { stringify } from 'yaml'
import { type InterpretedReport, type InterpreterOptions, interpretPlaybook } from '#platform/interpret'
import { createCommands } from '#platform/kubectl'
import { runPlaybook, type TaskResult } from '#platform/playbook'
import { compareObjects, compareTasks, type Difference } from './compare-runs.ts'
import { type ProofCase, toPlay } from './proof-case.ts'
import {
  createListeningCluster,
  createObjects,
  createVirtualCluster,
  declaredObjects,
  type VirtualCluster,
} from './proof-cluster.ts'
import { proofTemplates } from './proof-templates.ts'

export interface ProofResult {
  readonly cases: number
  readonly tasks: number
  readonly unsupported: readonly { readonly case: string; readonly reason: string }[]
  readonly differences: readonly Difference[]
}

const TIMEOUT_MS = 3_600_000
/** Simulated pods are ready after this time. */
const SETTLE_MS = 5000
const MAX_CASES_IN_PROCESS = 60

const runReal = async (cases: readonly ProofCase[], kubeconfig: string): Promise<TaskResult[]> => {
  const results: TaskResult[] = []
  for (let start = 0; start < cases.length; start += MAX_CASES_IN_PROCESS) {
    const text = stringify(cases.slice(start, start + MAX_CASES_IN_PROCESS).map(toPlay), {
      lineWidth: 0,
      version: '1.1',
    })
    const { tasks, output, ok } = await runPlaybook({ text, kubeconfig, timeoutMs: TIMEOUT_MS })
    if (!ok) throw new Error(`Ansible stopped before the last case:\n${output.slice(-3000)}`)
    results.push(...tasks)
  }
  return results
}

const runInterpreted = async (
  { clock, cluster, api, run }: VirtualCluster,
  cases: readonly ProofCase[],
): Promise<InterpretedReport[]> => {
  const options: InterpreterOptions = {
    api,
    discovery: cluster.discovery,
    clock,
    templates: proofTemplates,
    commands: createCommands({ api, discovery: cluster.discovery, clock, namespace: 'default' }),
  }
  const reports: InterpretedReport[] = []
  for (const each of cases) {
    const text = stringify([toPlay(each)], { lineWidth: 0, version: '1.1' })
    reports.push(await run(() => interpretPlaybook(text, options)))
  }
  return reports
}

/** `isOwn`: whether an object belongs to a case, so that objects of unsupported cases are not compared. */
export const runCases = async (
  cases: readonly ProofCase[],
  objects: readonly object[],
  isOwn: (objectName: string, caseName: string) => boolean,
): Promise<ProofResult> => {
  const real = await createListeningCluster()
  const virtual = createVirtualCluster()
  try {
    await createObjects(real, objects)
    await virtual.run(() => createObjects(virtual, objects))
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    virtual.clock.advance(SETTLE_MS)
    const tasks = await runReal(cases, real.kubeconfig)
    const reports = await runInterpreted(virtual, cases)
    const unsupported = cases.flatMap(({ name }, index) => {
      const { outcome, unsupported: reason = '' } = reports[index]!
      return outcome === 'unsupported' ? [{ case: name, reason }] : []
    })
    const skipped = new Set(unsupported.map((each) => each.case))
    const differences = cases.flatMap(({ name }, index) => {
      if (skipped.has(name)) return []
      return (
        compareTasks(
          name,
          tasks.filter(({ play }) => play === name),
          reports[index]!,
        ) ?? []
      )
    })
    const isCompared = (object: string): boolean => [...skipped].every((name) => !isOwn(object, name))
    const objectDifferences = compareObjects(
      await declaredObjects(real),
      await declaredObjects(virtual),
      isCompared,
    )
    return {
      cases: cases.length,
      tasks: tasks.length,
      unsupported,
      differences: [...differences, ...objectDifferences],
    }
  } finally {
    await real.close()
    virtual.cluster.stop()
  }
}
