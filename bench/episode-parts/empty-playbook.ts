/** Measures the time of Ansible itself, with a play without tasks. */
import { runPlaybook } from '#platform/playbook'
import { median } from '../measure/goals.ts'

const EMPTY = `- hosts: localhost
  connection: local
  gather_facts: false
  tasks: []
`

/** Milliseconds, the median of `rounds`. */
export const timeEmptyPlaybook = async (rounds: number): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { ok, output, milliseconds } = await runPlaybook({
      text: EMPTY,
      kubeconfig: '',
      signal: new AbortController().signal,
    })
    if (!ok) throw new Error(`an empty play failed: ${output}`)
    times.push(milliseconds)
  }
  return median(times)
}
