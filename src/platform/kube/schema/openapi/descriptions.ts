/** Descriptions of types and fields from the package kubernetes-types; none if it is not installed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { longName } from '../definition-data.ts'

const DECLARATION =
  /(?:\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*)?(?:export (?:interface|type) (\w+)|^ {4}['"]?([\w$-]+)['"]?\??:)/gm

/** Keys are `Type` and `Type.field`. */
type Descriptions = ReadonlyMap<string, string>

const files = new Map<string, Descriptions>()

const plainText = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()

const readDescriptions = (file: string): Descriptions => {
  const texts = new Map<string, string>()
  let text: string
  try {
    text = readFileSync(createRequire(import.meta.url).resolve(`kubernetes-types/${file}`), 'utf8')
  } catch {
    return texts
  }
  let type = ''
  for (const [, comment, typeName, field] of text.matchAll(DECLARATION)) {
    if (typeName !== undefined) type = typeName
    if (comment !== undefined) texts.set(field === undefined ? type : `${type}.${field}`, plainText(comment))
  }
  return texts
}

/** Returns the file that describes a type: `core/v1.d.ts` for `core.v1.Pod`. */
const fileOf = (short: string): string =>
  `${longName(short)
    .replace(/^io\.k8s\.(?:api|apimachinery\.pkg(?:\.apis)?|[\w-]+\.pkg\.apis)\./, '')
    .split('.')
    .slice(0, -1)
    .join('/')}.d.ts`

const descriptionsFor = (short: string): Descriptions => {
  const file = fileOf(short)
  let known = files.get(file)
  if (known === undefined) {
    known = readDescriptions(file)
    files.set(file, known)
  }
  return known
}

const typeNameOf = (short: string): string => short.slice(short.lastIndexOf('.') + 1)

export const describeType = (short: string): string | undefined =>
  descriptionsFor(short).get(typeNameOf(short))

export const describeField = (short: string, field: string): string | undefined =>
  descriptionsFor(short).get(`${typeNameOf(short)}.${field}`)
