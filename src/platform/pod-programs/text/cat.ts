/** cat: prints files. */
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { readInputs } from './lines.ts'

export const cat: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'nu' })
  const { texts, code } = readInputs(call, operands)
  let number = 0
  for (const { text } of texts) {
    if (!options.has('n')) call.out(text)
    else
      for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
        number += 1
        call.out(`${String(number).padStart(6)}\t${line}`)
      }
  }
  return code
}
