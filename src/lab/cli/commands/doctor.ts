/** `remedium doctor`: checks the requirements on this machine. */
import { defineCommand } from '../define-command.ts'
import { type Check, DOCTOR_CHECKS } from '../doctor/doctor-checks.ts'
import type { Finding } from '../doctor/finding.ts'
import { REQUIREMENT_MISSING } from '../exit-codes.ts'

type Result = Finding & Pick<Check, 'requiredFor'>

const toLine = ({ name, present, found, remedy }: Result): string =>
  `  ${present ? 'yes' : 'NO '}  ${name.padEnd(17)} ${found ?? remedy}`

const toText = (results: readonly Result[]): string => {
  const groups = [...new Set(results.map(({ requiredFor }) => requiredFor))].map((group) => {
    const lines = results.filter(({ requiredFor }) => requiredFor === group).map(toLine)
    return `Required for ${group}:\n${lines.join('\n')}\n`
  })
  return groups.join('\n')
}

export const doctor = defineCommand({
  summary: 'Check the requirements on this machine, and show how to install missing ones',
  async run({ root, answer }) {
    const results: Result[] = []
    for (const { requiredFor, run } of DOCTOR_CHECKS)
      results.push(...[await run(root)].flat().map((finding) => ({ requiredFor, ...finding })))
    answer({ checks: results }, toText(results))
    const isMissing = results.some(({ requiredFor, present }) => requiredFor !== 'tests' && !present)
    return isMissing ? REQUIREMENT_MISSING : 0
  },
})
