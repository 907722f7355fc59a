/**
 * Installs the test tools that this machine lacks: the packages for live containers, Ansible from Debian, and the kubectl of
 * three Debian releases. Needs root and apt; otherwise it prints the missing tools, and the tests that need them fail.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  callProgram,
  ensureSystemPackages,
  installDebianPackages,
  mayInstall,
  missingAnsiblePackages,
  toolsFolder,
  whyNoRealContainers,
} from '#lab/tools'

const TOOLS = toolsFolder(join(import.meta.dirname, '..'))
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** The kubectl of each Debian release; the package was renamed after bookworm. */
const RELEASES = [
  { suite: 'bookworm', packageName: 'kubernetes-client', version: '1.20' },
  { suite: 'trixie', packageName: 'kubectl', version: '1.32' },
  { suite: 'sid', packageName: 'kubectl', version: '1.36 or newer' },
]

const report = (line: string): void => {
  process.stderr.write(`test tools: ${line}\n`)
}

/** The Debian archive that this machine uses, which may be a mirror. */
const debianArchive = (): string => {
  const filters = ['Created-By: Packages', 'Origin: Debian', 'Component: main']
  const uris = callProgram('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filters])
  const archive = uris.split('\n').find((uri) => uri !== '' && !uri.includes('security'))
  if (archive === undefined) throw new Error('apt has no Debian archive on this machine')
  return archive
}

/** Returns an apt-get that uses one release, ignores installed packages, and keeps all of its files in `folder`. */
const createApt = (folder: string, suite: string): ((...args: string[]) => string) => {
  for (const name of ['lists/partial', 'cache/archives/partial', 'sources']) {
    mkdirSync(join(folder, name), { recursive: true })
  }
  writeFileSync(join(folder, 'status'), '')
  writeFileSync(
    join(folder, 'sources', 'suite.list'),
    `deb [signed-by=${KEYRING}] ${debianArchive()} ${suite} main\n`,
  )
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': join(folder, 'sources'),
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    'APT::Sandbox::User': 'root',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return (...args) => callProgram('apt-get', [...options, '-qq', ...args], folder)
}

const fetchKubectl = (suite: string, packageName: string, target: string): void => {
  const folder = mkdtempSync(join(tmpdir(), 'remedium-apt-'))
  try {
    const apt = createApt(folder, suite)
    apt('update')
    apt('download', packageName)
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'))
    if (archive === undefined) throw new Error(`${suite} has no package ${packageName}`)
    callProgram('dpkg', ['-x', archive, 'unpacked'], folder)
    mkdirSync(TOOLS, { recursive: true })
    const temporary = join(TOOLS, `.${process.pid}`)
    copyFileSync(join(folder, 'unpacked', 'usr', 'bin', 'kubectl'), temporary)
    renameSync(temporary, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const tryToInstall = (what: string, install: () => void): void => {
  try {
    install()
  } catch (error) {
    report(`${what} could not be installed: ${(error as Error).message}`)
  }
}

const installTestTools = (): void => {
  const packages = missingAnsiblePackages()
  const releases = RELEASES.map((release) => ({
    ...release,
    target: join(TOOLS, `kubectl-${release.suite}`),
  })).filter(({ target }) => !existsSync(target))
  if (packages.length === 0 && releases.length === 0) return
  if (!mayInstall()) {
    const missing = [...packages, ...releases.map(({ version }) => `kubectl ${version}`)].join(', ')
    report(`missing, and only root on Debian can install them: ${missing}`)
    return
  }
  if (packages.length > 0) {
    report(`installing ${packages.join(', ')} from Debian ...`)
    tryToInstall(packages.join(', '), () => installDebianPackages(packages))
  }
  for (const { suite, packageName, version, target } of releases) {
    report(`fetching kubectl ${version} from Debian ${suite} ...`)
    tryToInstall(`kubectl ${version}`, () => fetchKubectl(suite, packageName, target))
  }
}

await ensureSystemPackages(report).catch((error: Error) => report(error.message))
const problem = await whyNoRealContainers()
if (problem !== undefined) report(`tests with real pods will fail. ${problem}`)
installTestTools()
