/** Field selectors of requests: `status.phase!=Failed,spec.nodeName=node1`. */
import { badRequest } from './api-error.ts'

export interface FieldRequirement {
  field: string
  value: string
  equal: boolean
}

const unescaped = (text: string): string => text.replace(/\\([\\,=])/g, '$1')

/** Reads the `fieldSelector` of a request; throws BadRequest in the server's words. */
export const parseFieldSelector = (text: string): FieldRequirement[] =>
  text
    .split(/(?<!\\),/)
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^((?:[^=!\\]|\\.)*)(==|=|!=)((?:[^=\\]|\\.)*)$/s.exec(part)
      if (match === null) {
        throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
      }
      return { field: match[1]!, value: unescaped(match[3]!), equal: match[2] !== '!=' }
    })

/** Whether `fields` meets every requirement; a field that is not selectable is refused. */
export const meetsFields = (
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>>,
): boolean => requirements.every(({ field, value, equal }) => ((fields[field] ?? '') === value) === equal)
