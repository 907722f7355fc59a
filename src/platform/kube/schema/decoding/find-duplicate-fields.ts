/** Finds duplicate keys in a JSON text, which JSON.parse drops silently. */

/** Matches strings, keys and structural characters. Other tokens do not matter, because the text is valid JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\],]/g

interface Level {
  /** Keys seen so far; undefined in a list. */
  readonly keys: Set<string> | undefined
  /** Path of the object or list itself. */
  readonly path: string
  /** Path of the current member. */
  member: string
  index: number
}

const fieldPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const openLevel = (levels: readonly Level[], list: boolean): Level => {
  const outer = levels.at(-1)
  let path = outer?.member ?? ''
  if (outer !== undefined && outer.keys === undefined) path = `${outer.path}[${outer.index}]`
  return { keys: list ? undefined : new Set(), path, member: path, index: 0 }
}

/** Calls `visit` for every field in text order, with its path and whether its object already had it. */
export const visitFields = (jsonText: string, visit: (path: string, isRepeated: boolean) => void): void => {
  const levels: Level[] = []
  for (const [token, colon] of jsonText.matchAll(TOKEN)) {
    const level = levels.at(-1)
    if (token === '{' || token === '[') levels.push(openLevel(levels, token === '['))
    else if (token === '}' || token === ']') levels.pop()
    else if (token === ',') {
      if (level !== undefined && level.keys === undefined) level.index++
    } else if (colon !== undefined && level?.keys !== undefined) {
      const key = JSON.parse(token.slice(0, token.length - colon.length)) as string
      level.member = fieldPath(level.path, key)
      visit(level.member, level.keys.has(key))
      level.keys.add(key)
    }
  }
}

/** Returns the paths of duplicate fields in text order: `spec.containers[0].name`. */
export const findDuplicateFields = (jsonText: string): string[] => {
  const duplicates = new Set<string>()
  visitFields(jsonText, (path, isRepeated) => {
    if (isRepeated) duplicates.add(path)
  })
  return [...duplicates]
}
