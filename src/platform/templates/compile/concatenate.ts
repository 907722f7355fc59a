/** Combines the outputs of a template into one value, as Ansible does without `jinja2_native`. */
import { isDict } from '../python/dict.ts'
import { parseLiteral } from '../python/parse-literal.ts'
import { toText } from '../python/repr.ts'
import { Text } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { growText } from '../work.ts'
import { NO_OUTPUT, toOutput } from './to-output.ts'

/** Converts text that looks like a list, a dictionary or a boolean to that type if it is a literal of Python or JSON. */
const convert = (text: string): unknown => {
  if (!/^[[{]/.test(text) && text !== 'True' && text !== 'False') return text
  const literal = parseLiteral(text)
  if (literal === undefined) return text
  const output = toOutput(literal.value)
  if (output === NO_OUTPUT) throw new UnsupportedTemplate('a tuple as the key of a dictionary')
  return output
}

/** The outputs must be finalised. */
export const concatenate = (outputs: readonly unknown[]): unknown => {
  if (outputs.length === 1) {
    const [only] = outputs
    if (only instanceof Text && only.kind === 'NativeJinjaText') return only.text
    // The text of a list, read as a literal, is the same list.
    if (Array.isArray(only) || isDict(only)) {
      const output = toOutput(only)
      if (output !== NO_OUTPUT) return output
    }
    return convert(toText(only))
  }
  let text = ''
  for (const output of outputs) {
    text += toText(output)
    growText(text.length)
  }
  return convert(text)
}
