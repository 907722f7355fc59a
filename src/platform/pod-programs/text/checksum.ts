/** md5sum and sha256sum: print checksums of files. */
import { createHash } from 'node:crypto'
import { encodeText } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { readInputs } from './lines.ts'

const sum =
  (algorithm: string): PodProgram =>
  (call) => {
    const { texts, code } = readInputs(call, parseOptions(call, {}).operands)
    for (const { name, text } of texts)
      call.out(`${createHash(algorithm).update(encodeText(text)).digest('hex')}  ${name}\n`)
    return code
  }

export const md5sum: PodProgram = sum('md5')

export const sha256sum: PodProgram = sum('sha256')
