/** Tests how paths in a container are mapped to volumes. */
import { expect, it } from 'vitest'
import { createMountTable, isWritable, toContainerPath } from './mount-table.ts'
import { readContent } from './stored-file.ts'
import { createVolume, replaceFiles } from './volume.ts'

const contentOf = (text: string) => () => new TextEncoder().encode(text)

const root = () => ({ path: '/', volume: createVolume({ kind: 'disk' }) })

it('finds the deepest mount', () => {
  const [data, database] = [createVolume({ kind: 'disk' }), createVolume({ kind: 'disk' })]
  const system = root()
  const { locate } = createMountTable([
    { path: '/data', volume: data },
    { path: '/data/db/', volume: database },
    system,
  ])
  const found = (path: string) => {
    const { mount, path: inside } = locate(path)
    return [mount.volume, inside]
  }
  expect(found('/data/db/a/b')).toEqual([database, 'a/b'])
  expect(found('/data/db')).toEqual([database, ''])
  expect(found('/data/dbs')).toEqual([data, 'dbs'])
  expect(found('//data/./x/../db')).toEqual([database, ''])
  expect(found('/etc/hosts')).toEqual([system.volume, 'etc/hosts'])
  expect(found('/')).toEqual([system.volume, ''])
})

it('creates the folders above mount points, and mounted folders of writable volumes', () => {
  const [system, logs] = [root(), createVolume({ kind: 'disk' })]
  createMountTable([system, { path: '/var/log/mysql', volume: logs, subPath: 'mysql/first' }])
  expect(system.volume.folders).toEqual(new Set(['', 'var', 'var/log']))
  expect(logs.folders).toEqual(new Set(['', 'mysql', 'mysql/first']))
})

it('mounts a folder or a file of a volume', () => {
  const volume = createVolume({ kind: 'disk', files: [{ path: 'conf/my.cnf', content: contentOf('a') }] })
  const { locate } = createMountTable([
    root(),
    { path: '/etc/my.cnf', volume, subPath: 'conf/my.cnf' },
    { path: '/conf', volume, subPath: '/conf/' },
  ])
  expect(locate('/etc/my.cnf').path).toBe('conf/my.cnf')
  const { mount, path } = locate('/conf/deep/file')
  expect(path).toBe('conf/deep/file')
  expect(toContainerPath(mount, path)).toBe('/conf/deep/file')
  expect(toContainerPath(locate('/etc/my.cnf').mount, 'conf/my.cnf')).toBe('/etc/my.cnf')
  expect(toContainerPath(locate('/tmp').mount, 'tmp/x')).toBe('/tmp/x')
})

it('shows new content of API objects, except at mounts of a part of the volume', () => {
  const volume = createVolume({ kind: 'objects', files: [{ path: 'key', content: contentOf('old') }] })
  const { locate } = createMountTable([
    root(),
    { path: '/config', volume },
    { path: '/etc/key', volume, subPath: 'key' },
  ])
  replaceFiles(volume, [{ path: 'key', content: contentOf('new') }])
  const textAt = (path: string): string => {
    const { mount, path: inside } = locate(path)
    return new TextDecoder().decode(readContent(mount.volume.files.get(inside)!))
  }
  expect(textAt('/config/key')).toBe('new')
  expect(textAt('/etc/key')).toBe('old')
})

it('is writable unless the mount or the volume is read-only', () => {
  const disk = createVolume({ kind: 'disk' })
  expect(isWritable({ path: '/data', volume: disk })).toBe(true)
  expect(isWritable({ path: '/data', volume: disk, readOnly: true })).toBe(false)
  expect(isWritable({ path: '/config', volume: createVolume({ kind: 'objects' }) })).toBe(false)
})
