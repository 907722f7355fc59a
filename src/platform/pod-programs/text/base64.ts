/** base64: encodes and decodes text. */
import { decodeBytes, encodeText } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'

const LINE_LENGTH = 76

export const base64: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'd',
    values: 'w',
    long: { decode: 'd', wrap: 'w' },
  })
  const text = call.readText(operands[0] ?? '-')
  if (options.has('d')) {
    const compact = text.replaceAll(/\s/g, '')
    call.out(decodeBytes(Buffer.from(compact, 'base64')))
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(compact) && compact.length % 4 === 0) return 0
    throw new ProgramFailure('invalid input')
  }
  const encoded = Buffer.from(encodeText(text)).toString('base64')
  const width = Number(options.get('w') ?? LINE_LENGTH)
  if (width === 0) call.out(encoded)
  else for (let at = 0; at < encoded.length; at += width) call.out(`${encoded.slice(at, at + width)}\n`)
  return 0
}
