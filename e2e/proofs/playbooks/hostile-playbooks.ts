/** Runs the hostile corpus as playbooks of agents: vetted, then by Ansible in a sandbox or by the interpreter. */
import { findExecutable } from '#kit'
import { createSandbox } from '#machine/sandbox'
import { createPlaybookRunner, type PlaybookReport, type PlaybookRunner } from '#platform/playbook'
import { toRemediumError } from '#spec'
import { loadPlaybooks } from '../../hostile/hostile-corpus.ts'
import { compareObjects, compareTasks, type Difference } from './compare-runs.ts'
import { createInterpreter } from './create-interpreter.ts'
import { objectsOf } from './generated-cases.ts'
import { declaredObjects, type VirtualCluster } from './proof-cluster.ts'
import { createFilledCluster, createFilledListeningCluster, type ProofResult } from './run-cases.ts'

/** Namespaces of the corpus; both clusters have them. */
const NAMESPACES = ['shop', 'neighbour', 'remedium-laboratory']
const NAMESPACE = NAMESPACES[0]!
const OBJECTS = NAMESPACES.flatMap(objectsOf)

/** Files, ports and nodes that do not exist, so that both fail to reach them. */
const PLACEHOLDERS = { SYSTEM: NAMESPACE, NODE: 'node2', HOST_FILE: '/nowhere/secret', OTHER_PORT: 1 }

/** `unsupported` is the reason why the interpreter does not run the playbook. */
type Attempt = PlaybookReport | { readonly unsupported: string }

const attempt = (runner: PlaybookRunner, text: string): Promise<Attempt> =>
  runner.run(text).catch((error) => {
    const { code, message } = toRemediumError(error)
    if (code !== 'unsupported') throw error
    return { unsupported: message }
  })

const createInterpretingRunner = (virtual: VirtualCluster): PlaybookRunner => {
  const interpret = createInterpreter(virtual)
  return createPlaybookRunner({
    runOnEngine: ({ text, groups, timeoutMs }) => interpret(text, { groups, timeoutMs }),
    api: virtual.api,
    namespace: NAMESPACE,
  })
}

/** The results of the tasks, and how the playbook ended. */
const compareReports = (
  name: string,
  real: PlaybookReport,
  interpreted: PlaybookReport,
): Difference | undefined => {
  const difference = compareTasks(name, real.tasks, interpreted.tasks)
  if (real.ok === interpreted.ok && real.isRefused === interpreted.isRefused) return difference
  const lines = ({ ok, isRefused, output }: PlaybookReport): string[] => [
    `ok: ${ok}, refused: ${isRefused}`,
    output.slice(-500),
  ]
  return { case: name, real: lines(real), interpreted: lines(interpreted) }
}

export interface HostileResult extends ProofResult {
  /** How many playbooks both refuse. */
  readonly refused: number
}

/** Runs the playbooks one after another, in the order of the corpus; at most `count`. */
export const runHostilePlaybooks = async (count: number): Promise<HostileResult> => {
  const playbooks = Object.values(loadPlaybooks(PLACEHOLDERS)).flat().slice(-count)
  const trial = await createFilledCluster(OBJECTS)
  const virtual = await createFilledCluster(OBJECTS)
  const real = await createFilledListeningCluster(OBJECTS)
  const kubectl = findExecutable('kubectl')
  if (kubectl === undefined) throw new Error('kubectl is not on the PATH.')
  const sandbox = await createSandbox({ server: real.server, tools: { kubectl } })
  const unsupported: { case: string; reason: string }[] = []
  const differences: Difference[] = []
  let [tasks, refused] = [0, 0]
  try {
    const { kubeconfig } = real
    const ansible = createPlaybookRunner({ sandbox, kubeconfig, namespace: NAMESPACE })
    const [onTrial, interpreter] = [createInterpretingRunner(trial), createInterpretingRunner(virtual)]
    for (const { tries, text } of playbooks) {
      const tried = await attempt(onTrial, text)
      if ('unsupported' in tried) {
        unsupported.push({ case: tries, reason: tried.unsupported })
        continue
      }
      const [expected, found] = [await ansible.run(text), await interpreter.run(text)]
      tasks += expected.tasks.length
      if (expected.isRefused && found.isRefused) refused += 1
      differences.push(...[compareReports(tries, expected, found)].filter((each) => each !== undefined))
    }
    differences.push(...compareObjects(await declaredObjects(real), await declaredObjects(virtual)))
  } finally {
    await sandbox.close()
    await real.close()
    for (const { cluster } of [trial, virtual]) cluster.stop()
  }
  return { cases: playbooks.length, tasks, unsupported, differences, refused }
}
