/** seq: prints whole numbers. */
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'

export const seq: PodProgram = (call) => {
  const { options, operands } = parseOptions(
    { args: call.args.map((arg) => (/^-\d/.test(arg) ? ` ${arg}` : arg)), refuse: call.refuse },
    { values: 's', flags: 'w' },
  )
  const numbers = operands.map(Number)
  if (operands.length === 0)
    throw new ProgramFailure("missing operand\nTry 'seq --help' for more information.")
  const wrong = operands.find((_, index) => Number.isNaN(numbers[index]))
  if (wrong !== undefined)
    throw new ProgramFailure(
      `invalid floating point argument: ‘${wrong}’\nTry 'seq --help' for more information.`,
    )
  const [first, step, last] =
    numbers.length === 1
      ? [1, 1, numbers[0]!]
      : numbers.length === 2
        ? [numbers[0]!, 1, numbers[1]!]
        : [numbers[0]!, numbers[1]!, numbers[2]!]
  if (options.has('w') || numbers.some((each) => !Number.isInteger(each)) || step === 0) call.refuse()
  const values: number[] = []
  for (let value = first; step > 0 ? value <= last : value >= last; value += step) values.push(value)
  const separator = (options.get('s') as string | undefined) ?? '\n'
  if (values.length > 0) call.out(`${values.join(separator)}\n`)
  return 0
}
