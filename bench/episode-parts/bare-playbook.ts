/** What Ansible itself takes: a play with nothing to do, milliseconds, the median of three. */
import { runPlaybook } from '../../src/playbook/index.ts'
import { median } from '../measure/goals.ts'

const EMPTY = `- hosts: localhost
  connection: local
  gather_facts: false
  tasks: []
`

export const barePlaybook = async (): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const { ok, output, milliseconds } = await runPlaybook({
      text: EMPTY,
      kubeconfig: '',
      signal: new AbortController().signal,
    })
    if (!ok) throw new Error(`an empty play fails: ${output}`)
    times.push(milliseconds)
  }
  return median(times)
}
