/** Unpacks the Debian packages with the Go types of Kubernetes, without changing the apt configuration of the machine. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The packages by release of Debian; the API types come from the release nearest to the served version. */
const PACKAGES = {
  trixie: ['golang-k8s-api-dev', 'golang-k8s-apimachinery-dev', 'golang-k8s-metrics-dev'],
  sid: ['golang-k8s-apiextensions-apiserver-dev'],
}

const findMirror = (): string =>
  execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((uri) => uri !== '' && !uri.includes('security'))
    .sort()[0]!

/** Returns the folder that contains `k8s.io/...`; it is removed when the process exits. */
export const unpackGoSources = (): string => {
  const home = mkdtempSync(join(tmpdir(), 'kubernetes-go-types-'))
  process.on('exit', () => rmSync(home, { recursive: true, force: true }))
  for (const [release, names] of Object.entries(PACKAGES)) {
    const aptFolder = join(home, release)
    for (const folder of ['lists/partial', 'cache/archives/partial', 'sources', 'packages']) {
      mkdirSync(join(aptFolder, folder), { recursive: true })
    }
    const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
    writeFileSync(
      join(aptFolder, 'sources/one.list'),
      `deb [signed-by=${keyring}] ${findMirror()} ${release} main\n`,
    )
    const settings = [
      'Dir::Etc::sourcelist=/dev/null',
      `Dir::Etc::sourceparts=${aptFolder}/sources`,
      `Dir::State::lists=${aptFolder}/lists`,
      `Dir::Cache=${aptFolder}/cache`,
    ].flatMap((setting) => ['-o', setting])
    execFileSync('apt-get', [...settings, 'update', '-qq'], { stdio: 'ignore' })
    execFileSync('apt-get', [...settings, 'download', ...names], {
      cwd: join(aptFolder, 'packages'),
      stdio: 'ignore',
    })
    for (const file of readdirSync(join(aptFolder, 'packages'))) {
      execFileSync('dpkg', ['-x', join(aptFolder, 'packages', file), join(home, 'files')])
    }
  }
  return join(home, 'files/usr/share/gocode/src')
}
