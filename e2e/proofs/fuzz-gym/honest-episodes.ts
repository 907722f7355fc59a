/** Plays episodes with fixed problems, seeds and actions, and reads their records. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '#spec'
import { loadSystem } from '#world/systems'
import type { JsonLinesClient } from './json-lines-client.ts'

const restart = (namespace: string): string => `
- hosts: localhost
  gather_facts: false
  tasks:
    - kubernetes.core.k8s_info: {kind: Deployment, api_version: apps/v1, namespace: ${namespace}}
      register: found
    - shell: kubectl -n ${namespace} rollout restart deployment {{ item.metadata.name }}
      loop: "{{ found.resources }}"
      loop_control: {label: "{{ item.metadata.name }}"}
`

/** Looks, restarts the services, and submits. */
const actionsOf = (namespace: string): object[] => [
  { name: 'get_alerts', input: {} },
  { name: 'get_objects', input: { kind: 'pods' } },
  { name: 'exec_shell', input: { command: 'kubectl get pods -o wide' } },
  { name: 'run_playbook', input: { playbook: restart(namespace) } },
  { name: 'submit', input: {} },
]

/** Plays an episode of the problem, and returns the verdict. */
export const playHonestly = async (
  client: JsonLinesClient,
  session: string,
  problem: Problem,
): Promise<string> => {
  const { namespace } = await loadSystem(problem.system)
  const first = await client.ask('reset', { session, problem: problem.id, seed: 7 })
  if (first.error !== undefined) return `not started: ${first.error.message}`
  let outcome = 'not ended'
  for (const action of actionsOf(namespace)) {
    const { result, error } = await client.ask('step', { session, action })
    if (error !== undefined) return `failed: ${error.message}`
    outcome = result.info.verdict?.outcome ?? outcome
  }
  await client.ask('close', { session })
  return outcome
}

/** The records of the problem in the folder. */
export const recordsOf = (folder: string, { id }: Problem): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(id))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
