/** Tests the disk usage of a simulated pod. */
import { expect, it } from 'vitest'
import { measureDisk } from './measure-disk.ts'
import { addFile, createVolume, writeToVolume } from './volume.ts'

const volumeWith = (bytes: number) => {
  const volume = createVolume({ kind: 'disk' })
  writeToVolume(volume, addFile(volume, 'file'), new Uint8Array(bytes), 0)
  return volume
}

it('measures volumes, writable layers and logs by name', () => {
  const usage = measureDisk({
    emptyDirs: new Map([
      ['cache', volumeWith(5000)],
      ['empty', createVolume({ kind: 'disk' })],
    ]),
    persistent: new Map([['data', volumeWith(1)]]),
    containers: new Map([['main', { layer: volumeWith(100), logBytes: 23 }]]),
  })
  expect(usage).toEqual({
    volumes: { cache: 8192, empty: 0 },
    persistent: { data: 4096 },
    containers: { main: 4119 },
  })
})
