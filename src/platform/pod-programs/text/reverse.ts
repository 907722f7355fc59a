/** tac reverses the order of lines; rev reverses each line. */
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { joinLines, readInputs, splitLines } from './lines.ts'

export const tac: PodProgram = (call) => {
  const { texts, code } = readInputs(call, parseOptions(call, {}).operands)
  for (const { text } of texts) call.out(joinLines(splitLines(text).reverse()))
  return code
}

export const rev: PodProgram = (call) => {
  const { texts, code } = readInputs(call, parseOptions(call, {}).operands)
  for (const { text } of texts)
    call.out(joinLines(splitLines(text).map((line) => [...line].reverse().join(''))))
  return code
}
