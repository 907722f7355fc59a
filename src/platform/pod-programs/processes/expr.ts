/** expr: calculates one operation on whole numbers. */
import { type PodProgram, ProgramFailure } from '../pod-program.ts'

export const expr: PodProgram = (call) => {
  const [a = '', operator = '', b = '', ...rest] = call.args
  if (rest.length > 0 || !/^-?\d+$/.test(a) || !/^-?\d+$/.test(b) || !/^[-+*/%]$/.test(operator))
    call.refuse()
  const [x, y] = [Number(a), Number(b)]
  if ('/%'.includes(operator) && y === 0) throw new ProgramFailure('division by zero', 2)
  const results: Readonly<Record<string, number>> = {
    '+': x + y,
    '-': x - y,
    '*': x * y,
    '/': Math.trunc(x / y),
    '%': x % y,
  }
  call.out(`${results[operator]! + 0}\n`)
  return Number(results[operator] === 0)
}
