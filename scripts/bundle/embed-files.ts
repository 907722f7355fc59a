/** A plugin for rolldown: embeds files and modules that are read or imported by computed paths. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Plugin } from 'rolldown'

export interface EmbeddedContent {
  /** Patterns of files that the program reads. */
  readonly data: readonly string[]
  /** Patterns of modules that the program imports by a computed path, or runs in another process. */
  readonly modules: readonly string[]
  /** The functions of rooms and packages that the program does not need. */
  readonly omitted: Readonly<Record<string, readonly string[]>>
  /** The message of the error with which a call of them fails. */
  readonly omittedReason: string
}

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCES = `${join(ROOT, 'src')}/`
const RUNTIME = join(import.meta.dirname, 'embedded-files.ts')
const CONTENT = 'virtual:embedded-content'
const OMITTED = '\0omitted:'

/** Functions that are replaced by those of the runtime, by the module of Node.js that has them. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  'node:fs': ['existsSync', 'readFileSync', 'readdirSync'],
  'node:child_process': ['fork'],
}

const list = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()

const contentModule = ({ data, modules }: EmbeddedContent): string => {
  const files = list(data).map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])
  const loaders = list(modules).map(
    (path) => `${JSON.stringify(path)}: () => import(${JSON.stringify(join(ROOT, path))})`,
  )
  return `export const DATA = ${JSON.stringify(Object.fromEntries(files))}\nexport const MODULES = {${loaders.join(',\n')}}\n`
}

const omittedModule = (names: readonly string[], reason: string): string =>
  [
    `import { RemediumError } from '#spec'`,
    `const fail = () => { throw new RemediumError('bad-argument', ${JSON.stringify(reason)}) }`,
    `export default new Proxy({}, { get: fail })`,
    ...names.map((name) => `export const ${name} = fail`),
  ].join('\n')

/** Divides an import of a module of Node.js: the replaced names come from the runtime. */
const replaceImports = (code: string): string =>
  code.replaceAll(
    /^import \{([^}]*)\} from '(node:[\w/]+)'$/gm,
    (statement, text: string, module: string) => {
      const names = text.split(',').map((name) => name.trim())
      const isReplaced = (name: string): boolean =>
        REPLACED[module]?.includes(name.split(' as ')[0]!) ?? false
      const replaced = names.filter(isReplaced)
      if (replaced.length === 0) return statement
      const rest = names.filter((name) => name !== '' && !isReplaced(name))
      return (
        `import { ${replaced.join(', ')} } from ${JSON.stringify(RUNTIME)};` +
        (rest.length === 0 ? '' : `import { ${rest.join(', ')} } from '${module}'`)
      )
    },
  )

/** Paths and imports that Node.js would resolve by the location of the module. */
const replaceLocation = (code: string, path: string): string => {
  const inside = JSON.stringify(relative(ROOT, path))
  const folder = JSON.stringify(relative(ROOT, dirname(path)))
  const replaced = code
    .replaceAll(/createRequire\(import\.meta\.url\)\(('[^']+')\)/g, 'require($1)')
    .replaceAll('import.meta.dirname', `(import.meta.filename + '/' + ${folder})`)
    .replaceAll(
      'import.meta.url',
      `new URL(encodeURI('file://' + import.meta.filename + '/' + ${inside})).href`,
    )
    .replaceAll(/\bimport\((?=\s*(?:\/\*.*?\*\/\s*)?[^\s'"/])/g, '__importEmbedded(')
  if (!replaced.includes('__importEmbedded(')) return replaced
  return `import { importEmbedded as __importEmbedded } from ${JSON.stringify(RUNTIME)};${replaced}`
}

export const embedFiles = (content: EmbeddedContent): Plugin => ({
  name: 'embed-files',
  resolveId(source) {
    if (source === CONTENT) return `\0${CONTENT}`
    return Object.hasOwn(content.omitted, source) ? OMITTED + source : undefined
  },
  load(id) {
    if (id === `\0${CONTENT}`) return contentModule(content)
    const names = id.startsWith(OMITTED) ? content.omitted[id.slice(OMITTED.length)] : undefined
    return names && omittedModule(names, content.omittedReason)
  },
  transform: {
    filter: { id: /\.ts$/ },
    handler: (code, id) => (id.startsWith(SOURCES) ? replaceLocation(replaceImports(code), id) : undefined),
  },
})
