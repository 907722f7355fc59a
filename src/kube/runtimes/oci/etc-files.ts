/** The /etc of a container: what programs look up there, and nothing of the host's but what is public. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OciMount } from './oci-spec.ts'

/** Name, number, group, home, shell. */
const USERS: readonly (readonly [string, number, number, string, string])[] = [
  ['root', 0, 0, '/root', '/bin/sh'],
  ['daemon', 1, 1, '/usr/sbin', '/usr/sbin/nologin'],
  ['bin', 2, 2, '/bin', '/usr/sbin/nologin'],
  ['www-data', 33, 33, '/var/www', '/usr/sbin/nologin'],
  ['curl_user', 100, 101, '/home/curl_user', '/bin/sh'],
  ['nginx', 101, 101, '/nonexistent', '/bin/false'],
  ['nobody', 65_534, 65_534, '/nonexistent', '/usr/sbin/nologin'],
]
const GROUPS: readonly (readonly [string, number])[] = [
  ...[['root', 0] as const, ['daemon', 1] as const, ['bin', 2] as const, ['tty', 5] as const],
  ...[['mail', 8] as const, ['www-data', 33] as const, ['staff', 50] as const, ['users', 100] as const],
  ...[['nginx', 101] as const, ['nogroup', 65_534] as const],
]

/** The first group of a user; that of root for one without an entry, as containerd has it. */
export const groupOfUser = (uid: number): number => USERS.find(([, number]) => number === uid)?.[2] ?? 0

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`

const FILES: Readonly<Record<string, string>> = {
  passwd: lines(USERS.map(([name, uid, gid, home, sh]) => `${name}:x:${uid}:${gid}:${name}:${home}:${sh}`)),
  group: lines(GROUPS.map(([name, gid]) => `${name}:x:${gid}:`)),
  'nsswitch.conf': lines(['passwd: files', 'group: files', 'hosts: files dns', 'services: files']),
  profile: lines([`PS1='\\u@\\h:\\w\\$ '`]),
  'host.conf': 'multi on\n',
}

/** Of the host, read-only, where it has them: certificates, the linker's cache, what chooses between programs. */
const SHOWN = [
  ...['/etc/ssl/certs', '/etc/ssl/openssl.cnf', '/etc/pki/ca-trust/extracted', '/etc/pki/tls/certs'],
  ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/services', '/etc/protocols', '/etc/mime.types'],
]
/** Links into /usr, made anew. */
const LINKED = ['/etc/localtime', '/etc/os-release']

/** Writes the files into the root filesystem at `root`, and gives the mounts that belong to them. */
export const makeEtc = (root: string): OciMount[] => {
  const etc = join(root, 'etc')
  mkdirSync(etc, { recursive: true })
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(etc, name), content)
  for (const path of LINKED)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      symlinkSync(readlinkSync(path), join(root, path))
  symlinkSync('/proc/mounts', join(etc, 'mtab'))
  return SHOWN.filter((path) => existsSync(path)).map((path) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    return { destination: path, type: 'bind', source: path, options: ['rbind', 'ro', 'rprivate'] }
  })
}
