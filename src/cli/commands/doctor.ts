/** `remedium doctor`: what is here, what is missing and how to get it. */
import { defineCommand } from '../define-command.ts'
import { type Check, DOCTOR_CHECKS } from '../doctor-checks.ts'
import type { Finding } from '../finding.ts'

type Result = Finding & Pick<Check, 'neededFor'>

const toLine = ({ name, present, found, remedy }: Result): string =>
  `  ${present ? 'yes' : 'NO '}  ${name.padEnd(17)} ${found ?? remedy}`

const toText = (results: readonly Result[]): string => {
  const groups = [...new Set(results.map(({ neededFor }) => neededFor))].map((group) => {
    const lines = results.filter(({ neededFor }) => neededFor === group).map(toLine)
    return `Needed for ${group}:\n${lines.join('\n')}\n`
  })
  return groups.join('\n')
}

export const doctor = defineCommand({
  summary: 'Show what is on this machine, what is missing and how to get it',
  async run({ root, answer }) {
    const results: Result[] = []
    for (const { neededFor, run } of DOCTOR_CHECKS)
      results.push(...[await run(root)].flat().map((finding) => ({ neededFor, ...finding })))
    answer({ checks: results }, toText(results))
    return results.some(({ neededFor, present }) => neededFor === 'everything' && !present) ? 1 : 0
  },
})
