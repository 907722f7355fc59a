/** cut: prints fields or characters of each line. */
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure } from '../pod-program.ts'
import { readInputs, splitLines } from './lines.ts'

/** Parses `1,3-5,7-`. */
const parseRanges = (call: PodProgramCall, list: string): ((position: number) => boolean) => {
  const ranges = list.split(',').map((each) => {
    const [, from, dash, to] = /^(\d*)(-?)(\d*)$/.exec(each) ?? []
    if (from === undefined || each === '' || each === '-') throw new ProgramFailure('invalid field value')
    const first = from === '' ? 1 : Number(from)
    if (first === 0)
      throw new ProgramFailure("fields are numbered from 1\nTry 'cut --help' for more information.")
    return [first, dash === '' ? first : to === '' ? Number.POSITIVE_INFINITY : Number(to)] as const
  })
  if (ranges.length === 0) call.refuse()
  return (position) => ranges.some(([first, last]) => position >= first && position <= last)
}

export const cut: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 's',
    values: 'dfcb',
    long: { delimiter: 'd', fields: 'f' },
  })
  const delimiter = (options.get('d') as string | undefined) ?? '\t'
  const fields = options.get('f') as string | undefined
  const characters = (options.get('c') ?? options.get('b')) as string | undefined
  if (fields === undefined && characters === undefined)
    throw new ProgramFailure(
      "you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.",
    )
  const isChosen = parseRanges(call, (fields ?? characters)!)
  const { texts, code } = readInputs(call, operands)
  for (const line of texts.flatMap(({ text }) => splitLines(text))) {
    if (fields === undefined) call.out(`${[...line].filter((_, index) => isChosen(index + 1)).join('')}\n`)
    else if (line.includes(delimiter))
      call.out(
        `${line
          .split(delimiter)
          .filter((_, index) => isChosen(index + 1))
          .join(delimiter)}\n`,
      )
    else if (!options.has('s')) call.out(`${line}\n`)
  }
  return code
}
