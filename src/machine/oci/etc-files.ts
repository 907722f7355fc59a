/** Creates the /etc of a container from defaults and public files of the host. */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { OciMount } from './oci-spec.ts'

/** Name, uid, gid, home and shell. */
const USERS: readonly (readonly [string, number, number, string, string])[] = [
  ['root', 0, 0, '/root', '/bin/sh'],
  ['daemon', 1, 1, '/usr/sbin', '/usr/sbin/nologin'],
  ['bin', 2, 2, '/bin', '/usr/sbin/nologin'],
  ['www-data', 33, 33, '/var/www', '/usr/sbin/nologin'],
  ['curl_user', 100, 101, '/home/curl_user', '/bin/sh'],
  ['nginx', 101, 101, '/nonexistent', '/bin/false'],
  ['nobody', 65_534, 65_534, '/nonexistent', '/usr/sbin/nologin'],
]
const GROUPS: Readonly<Record<string, number>> = {
  root: 0,
  daemon: 1,
  bin: 2,
  tty: 5,
  mail: 8,
  'www-data': 33,
  staff: 50,
  users: 100,
  nginx: 101,
  nogroup: 65_534,
}

/** Returns the primary group of a user; the root group if the user has no entry, as in containerd. */
export const groupOfUser = (uid: number): number => USERS.find(([, number]) => number === uid)?.[2] ?? 0

const toLines = (lines: readonly string[]): string => `${lines.join('\n')}\n`

const FILES: Readonly<Record<string, string>> = {
  passwd: toLines(USERS.map(([name, uid, gid, home, sh]) => `${name}:x:${uid}:${gid}:${name}:${home}:${sh}`)),
  group: toLines(Object.entries(GROUPS).map(([name, gid]) => `${name}:x:${gid}:`)),
  'nsswitch.conf': toLines(['passwd: files', 'group: files', 'hosts: files dns', 'services: files']),
  profile: toLines([`PS1='\\u@\\h:\\w\\$ '`]),
  'host.conf': 'multi on\n',
  // Mount points of the pod's files.
  hosts: '',
  hostname: '',
  'resolv.conf': '',
}

/** Files of the host that are copied if they exist, such as the linker cache and the names of services. */
const COPIED = [
  '/etc/ld.so.cache',
  '/etc/services',
  '/etc/protocols',
  '/etc/mime.types',
  '/etc/ssl/openssl.cnf',
]
/** Links into /usr that are recreated. */
const LINKED = ['/etc/localtime', '/etc/os-release']
/** Folders of the host that are mounted read-only: certificates and alternatives. */
const BOUND_FOLDERS = [
  '/etc/ssl/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/pki/tls/certs',
  '/etc/alternatives',
]

const boundFolders = (): string[] => BOUND_FOLDERS.filter((path) => existsSync(path))

/** Creates /etc in the root filesystem at `root`. */
export const createEtc = (root: string): void => {
  const etc = join(root, 'etc')
  mkdirSync(join(etc, 'ssl'), { recursive: true })
  for (const [name, content] of Object.entries(FILES))
    writeFileSync(join(etc, name), content, { mode: 0o644 })
  for (const path of COPIED) if (existsSync(path)) copyFileSync(path, join(root, path))
  for (const path of LINKED)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      symlinkSync(readlinkSync(path), join(root, path))
  symlinkSync('/proc/mounts', join(etc, 'mtab'))
  for (const path of boundFolders()) mkdirSync(join(root, path), { recursive: true })
}

export const etcMounts = (): OciMount[] =>
  boundFolders().map((path) => ({
    destination: path,
    type: 'bind',
    source: path,
    options: ['rbind', 'ro', 'rprivate'],
  }))
