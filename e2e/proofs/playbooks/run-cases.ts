/** Runs cases through Ansible, many in one process, and through the interpreter, and compares the results. */
import { stringify } from 'yaml'
import type { InterpretedReport } from '#platform/interpret'
import { runPlaybook, type TaskResult } from '#platform/playbook'
import { compareObjects, compareTasks, type Difference } from './compare-runs.ts'
import { createInterpreter, type Interpret } from './create-interpreter.ts'
import { type ProofCase, toPlay } from './proof-case.ts'
import {
  createListeningCluster,
  createObjects,
  createVirtualCluster,
  declaredObjects,
  type ProofCluster,
  type VirtualCluster,
} from './proof-cluster.ts'

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

const toText = (cases: readonly ProofCase[]): string =>
  stringify(cases.map(toPlay), { lineWidth: 0, version: '1.1' })

const runReal = async (cases: readonly ProofCase[], kubeconfig: string): Promise<TaskResult[]> => {
  const results: TaskResult[] = []
  for (let start = 0; start < cases.length; start += MAX_CASES_IN_PROCESS) {
    const text = toText(cases.slice(start, start + MAX_CASES_IN_PROCESS))
    const { tasks, output, ok } = await runPlaybook({ text, kubeconfig, timeoutMs: TIMEOUT_MS })
    if (!ok) throw new Error(`Ansible stopped before the last case:\n${output.slice(-3000)}`)
    results.push(...tasks)
  }
  return results
}

const interpretAll = async (
  interpret: Interpret,
  cases: readonly ProofCase[],
): Promise<InterpretedReport[]> => {
  const reports: InterpretedReport[] = []
  for (const each of cases) reports.push(await interpret(toText([each])))
  return reports
}

/** A cluster for the interpreter, with the objects. */
export const createFilledCluster = async (objects: readonly object[]): Promise<VirtualCluster> => {
  const virtual = createVirtualCluster()
  await virtual.run(() => createObjects(virtual, objects))
  virtual.clock.advance(SETTLE_MS)
  return virtual
}

/** A cluster for Ansible, with the objects. */
export const createFilledListeningCluster = async (
  objects: readonly object[],
): Promise<ProofCluster & { kubeconfig: string; server: string; close(): Promise<void> }> => {
  const real = await createListeningCluster()
  await createObjects(real, objects)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  return real
}

/** Runs the cases on a cluster of their own: what an unsupported case did until then must not affect the compared clusters. */
const findUnsupported = async (
  cases: readonly ProofCase[],
  objects: readonly object[],
): Promise<ProofResult['unsupported']> => {
  const trial = await createFilledCluster(objects)
  const reports = await interpretAll(createInterpreter(trial), cases)
  trial.cluster.stop()
  return cases.flatMap(({ name }, index) => {
    const { outcome, unsupported: reason = '' } = reports[index]!
    return outcome === 'unsupported' ? [{ case: name, reason }] : []
  })
}

/** `objects` exist before the first case. */
export const runCases = async (
  cases: readonly ProofCase[],
  objects: readonly object[],
): Promise<ProofResult> => {
  const unsupported = await findUnsupported(cases, objects)
  const skipped = new Set(unsupported.map((each) => each.case))
  const supported = cases.filter(({ name }) => !skipped.has(name))
  const real = await createFilledListeningCluster(objects)
  const virtual = await createFilledCluster(objects)
  try {
    const tasks = await runReal(supported, real.kubeconfig)
    const reports = await interpretAll(createInterpreter(virtual), supported)
    const differences = supported.flatMap(({ name }, index) => {
      const own = tasks.filter(({ play }) => play === name)
      return compareTasks(name, own, reports[index]!.tasks) ?? []
    })
    const objectDifferences = compareObjects(await declaredObjects(real), await declaredObjects(virtual))
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
