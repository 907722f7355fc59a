/** Decodes base64 as `base64.b64decode` does, which skips characters outside the alphabet. */

import { isAscii } from '../python/characters.ts'
import { PythonError } from '../python/python-error.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendText } from '../work.ts'

/** The characters up to the padding. */
const dataOf = (text: string): string => {
  let data = ''
  let padding = 0
  for (const character of text) {
    if (character === '=') {
      padding += 1
      if (data.length % 4 >= 2 && (data.length % 4) + padding >= 4) return data
    } else if (/[A-Za-z0-9+/]/.test(character)) {
      data += character
      padding = 0
    }
  }
  if (data.length % 4 === 1)
    throw new PythonError(
      'Error',
      `Invalid base64-encoded string: number of data characters (${data.length}) cannot be 1 more than a multiple of 4`,
    )
  if (data.length % 4 !== 0) throw new PythonError('Error', 'Incorrect padding')
  return data
}

export const decodeBase64 = (text: string): string => {
  spendText(text.length)
  if (!isAscii(text)) throw new UnsupportedTemplate('b64decode of non-ASCII text')
  const bytes = Buffer.from(dataOf(text), 'base64')
  const decoded = bytes.toString('utf8')
  if (!Buffer.from(decoded, 'utf8').equals(bytes))
    throw new UnsupportedTemplate('b64decode of bytes that are not UTF-8')
  return decoded
}
