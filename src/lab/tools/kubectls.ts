/** Finds every kubectl on this machine, one of each version. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findExecutable, isExecutable } from '#kit'

export interface Kubectl {
  /** Such as `1.32.5`. */
  readonly version: string
  readonly path: string
}

/** The folder of the clients that the tests download. */
export const toolsFolder = (root: string): string => join(root, '.remedium', 'tools')

const listFolder = (folder: string): string[] => {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** Lists kubectl on the PATH, kubectl.1.NN next to it (as in some distributions), and downloaded clients. */
const listCandidates = (root: string): string[] => {
  const downloads = toolsFolder(root)
  const onPath = findExecutable('kubectl')
  const folders = onPath === undefined ? [] : [...new Set([dirname(onPath), dirname(realpathSync(onPath))])]
  return [
    ...folders.flatMap((folder) =>
      listFolder(folder)
        .filter((name) => /^kubectl\.\d+\.\d+$/.test(name))
        .map((name) => join(folder, name)),
    ),
    ...(onPath === undefined ? [] : [onPath]),
    ...listFolder(downloads)
      .filter((name) => name.startsWith('kubectl-'))
      .map((name) => join(downloads, name)),
  ].filter(isExecutable)
}

const readVersion = (path: string): string | undefined => {
  try {
    const answer = execFileSync(path, ['version', '--client', '-o', 'json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return JSON.parse(answer.toString()).clientVersion.gitVersion
  } catch {
    return undefined
  }
}

const readCache = (file: string): Record<string, string> => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/** Returns versions by path. Caches them by size and modification time, because running ten binaries takes a second. */
const readVersions = (root: string, paths: readonly string[]): Map<string, string> => {
  const file = join(toolsFolder(root), 'versions.json')
  const cached = readCache(file)
  const current: Record<string, string> = {}
  const versions = new Map<string, string>()
  for (const path of paths) {
    const { size, mtimeMs } = statSync(path)
    const key = `${path} ${size} ${mtimeMs}`
    const version = cached[key] ?? readVersion(path)
    if (version === undefined) continue
    current[key] = version
    versions.set(path, version)
  }
  if (JSON.stringify(current) !== JSON.stringify(cached)) {
    mkdirSync(dirname(file), { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, JSON.stringify(current))
    renameSync(draft, file)
  }
  return versions
}

const byVersion = (a: Kubectl, b: Kubectl): number =>
  a.version.localeCompare(b.version, 'en', { numeric: true })

/** Returns one kubectl of each version, oldest first. Skips dispatchers, which run the kubectl of the server's version instead. */
export const findKubectls = (root: string): Kubectl[] => {
  const found = new Map<string, Kubectl>()
  for (const [path, gitVersion] of readVersions(root, listCandidates(root))) {
    const version = /^v(\d+\.\d+\.\d+)(?!.*dispatcher)/.exec(gitVersion)?.[1]
    if (version !== undefined && !found.has(version)) found.set(version, { version, path })
  }
  return [...found.values()].sort(byVersion)
}
