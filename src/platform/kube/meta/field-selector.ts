/** Field selectors of requests: `status.phase!=Failed,spec.nodeName=node1`. */
import { badRequest } from './api-error.ts'

export interface FieldRequirement {
  field: string
  value: string
  equal: boolean
}

const INVALID = 'invalid field selector'

/** A backslash escapes the next character. */
const TERM = /(?:[^\\,]|\\.|\\$)*/gsu

const unescapeValue = (text: string): string => {
  const bad = /\\(?:[^\\,=]|$)/su.exec(text.replace(/\\[\\,=]/g, ''))
  if (bad !== null) throw badRequest(`${INVALID}: invalid escape sequence: ${bad[0]}`)
  return text.replace(/\\([\\,=])|([,=])/g, (_, escaped: string | undefined, bare: string | undefined) => {
    // kube-apiserver prints the character as a number.
    if (bare !== undefined)
      throw badRequest(`${INVALID}: unescaped character in value: ${bare.codePointAt(0)}`)
    return escaped!
  })
}

/** Parses the `fieldSelector` of a request. Throws BadRequest with the message of kube-apiserver. */
export const parseFieldSelector = (text: string): FieldRequirement[] =>
  (text.match(TERM) ?? [])
    .filter((term) => term !== '')
    .sort()
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/su.exec(term)
      if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
      return { field: match[1]!, value: unescapeValue(match[3]!), equal: match[2] !== '!=' }
    })

/** Whether `fields` matches every requirement. A missing field counts as the empty string. */
export const matchesFields = (
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>>,
): boolean =>
  requirements.every(
    ({ field, value, equal }) => ((Object.hasOwn(fields, field) ? fields[field] : '') === value) === equal,
  )
