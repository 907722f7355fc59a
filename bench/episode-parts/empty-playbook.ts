/** Measures Ansible's own overhead by running a play without tasks. */
import { runPlaybook } from '#platform/playbook'
import { median } from '../measure/print-goals.ts'

const EMPTY = `- hosts: localhost
  connection: local
  gather_facts: false
  tasks: []
`

/** Returns the median duration of `rounds` runs, in milliseconds. */
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
