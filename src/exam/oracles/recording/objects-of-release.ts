/** Lists the objects in the record of a Helm release: a Secret that holds a compressed document with the manifest. */
import { gunzipSync } from 'node:zlib'
import { isPlainObject } from '#kit'

export const HELM_RELEASE = 'helm.sh/release.v1'

/** A solver writes the content: it must not cost the laboratory much time or memory. */
const MAX_BYTES = 4 * 2 ** 20
const MAX_OBJECTS = 256
const MAX_NAME_CHARACTERS = 253
/** The first bytes of a gzip file. Helm also reads documents that are not compressed. */
const GZIP_BYTES = Buffer.from([0x1f, 0x8b])

const decode = (release: string): unknown => {
  const bytes = Buffer.from(Buffer.from(release, 'base64').toString(), 'base64')
  const isCompressed = bytes.subarray(0, GZIP_BYTES.length).equals(GZIP_BYTES)
  return JSON.parse(String(isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes))
}

/** The value of a field at the lowest indentation of the lines. */
const fieldOf = (lines: readonly string[], field: string): string | undefined => {
  const indentation = /^ */.exec(lines[0] ?? '')![0]
  const prefix = `${indentation}${field}:`
  const line = lines.find((candidate) => candidate.startsWith(prefix))
  return line === undefined ? undefined : /^\s*["']?([\w.:-]+)/.exec(line.slice(prefix.length))?.[1]
}

/** Reads only the lines that name the object. A YAML parser could take long for a document of a solver. */
const nameOf = (document: string): string | undefined => {
  const lines = document.split('\n').filter((line) => /^[^#\s]|^ +[^#\s]/.test(line))
  const start = lines.indexOf('metadata:') + 1
  const rest = lines.slice(start)
  const end = rest.findIndex((line) => !line.startsWith(' '))
  const kind = fieldOf(
    lines.filter((line) => !line.startsWith(' ')),
    'kind',
  )
  const name = start === 0 ? undefined : fieldOf(end < 0 ? rest : rest.slice(0, end), 'name')
  if (kind === undefined || name === undefined) return undefined
  return kind.length + name.length > MAX_NAME_CHARACTERS ? undefined : `${kind}/${name}`
}

/** Such as `Deployment/cart`; none if the content is not that of a release. */
export const objectsOfRelease = (release: unknown): readonly string[] => {
  if (typeof release !== 'string') return []
  try {
    const document = decode(release)
    if (!isPlainObject(document) || typeof document.manifest !== 'string') return []
    const names = document.manifest.split(/^---.*$/m).map(nameOf)
    return [...new Set(names.filter((name) => name !== undefined))].slice(0, MAX_OBJECTS)
  } catch {
    return []
  }
}
