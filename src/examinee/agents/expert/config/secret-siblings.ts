/** Infers the content of a Secret from Secrets of other services with the same naming pattern. */
import { type ApiObject, viewAs } from '#spec'
import type { World } from '../observe/world.ts'

export type Values = Readonly<Record<string, string>>

/** The number of Secrets that must agree on a value. */
const MIN_SIBLINGS = 2

/** Splits `ts-food-mysql` into `ts`, `food` and `mysql`. Returns undefined for names with fewer parts. */
const splitName = (name: string): readonly [first: string, stem: string, last: string] | undefined => {
  const parts = name.split('-')
  if (parts.length < 3) return undefined
  return [parts[0]!, parts.slice(1, -1).join('-'), parts.at(-1)!]
}

const prefixOf = (stem: string): string => `${stem.toUpperCase().replaceAll('-', '_')}_`

/** Returns the values of a Secret in plain text. */
export const decodeSecret = (secret: ApiObject | undefined): Values =>
  Object.fromEntries(
    Object.entries((secret && viewAs('Secret', secret).data) ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  )

/** Removes the prefix from all keys. Returns undefined if a key does not have it. */
const removePrefix = (values: Values, prefix: string): Values | undefined => {
  const entries = Object.entries(values)
  if (entries.length === 0 || !entries.every(([key]) => key.startsWith(prefix))) return undefined
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value]))
}

/** Lists the names of Secrets with the same pattern. */
const listSiblings = async (world: World, name: string): Promise<readonly string[]> => {
  const parts = splitName(name)
  if (parts === undefined) return []
  return (await world.objects('Secret'))
    .map(({ metadata }) => metadata.name)
    .filter((sibling) => {
      const [first, , last] = splitName(sibling) ?? []
      return sibling !== name && first === parts[0] && last === parts[2]
    })
}

/**
 * Returns the values on which Secrets with the same pattern agree, under the keys of this Secret.
 * Returns undefined if too few Secrets have the pattern.
 */
export const findExpectedValues = async (world: World, name: string): Promise<Values | undefined> => {
  const stem = splitName(name)?.[1]
  if (stem === undefined) return undefined
  const contents: Values[] = []
  for (const sibling of (await listSiblings(world, name)).slice(0, MIN_SIBLINGS + 1)) {
    const fields = removePrefix(
      decodeSecret(await world.object('Secret', sibling)),
      prefixOf(splitName(sibling)![1]),
    )
    if (fields !== undefined) contents.push(fields)
  }
  const [first] = contents
  if (first === undefined || contents.length < MIN_SIBLINGS) return undefined
  const agreed = Object.entries(first).filter(
    ([field, value]) => contents.filter((values) => values[field] === value).length >= MIN_SIBLINGS,
  )
  return Object.fromEntries(agreed.map(([field, value]) => [`${prefixOf(stem)}${field}`, value]))
}
