/** Needs root: tests that real containers cannot reach the host or other pods. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRuntimeFixture, type RuntimeFixture } from '../testing/runtime-fixture.ts'

let fixture: RuntimeFixture
beforeEach(() => {
  fixture = createRuntimeFixture()
})
afterEach(() => fixture.close())

const outputOf = async (script: string, ...rest: [object?, object?]): Promise<string> =>
  (await fixture.shell(script, ...rest)).output

describe('a container', () => {
  it('has no access to files of the host except programs', async () => {
    const secret = mkdtempSync(join(tmpdir(), 'remedium-secret-'))
    writeFileSync(join(secret, 'key'), 'secret')
    const repository = fileURLToPath(new URL('../../../../../..', import.meta.url))
    try {
      expect(
        await outputOf(`ls ${secret} ${repository} ${fixture.folder} ${process.cwd()} 2>/dev/null | wc -l`),
      ).toBe('0\n')
    } finally {
      rmSync(secret, { recursive: true })
    }
    expect(
      await outputOf('ls -A /root /home /usr/src /usr/local/bin /tmp /mnt /srv | grep -v :$ | grep -v ^$'),
    ).toBe('')
  })

  it('has no access to processes of the host', async () => {
    expect(await outputOf('echo /proc/[0-9]*; cat /proc/1/comm')).toBe('/proc/1\nsh\n')
  })

  it('writes to its own /usr, /etc and /tmp, not to the host', async () => {
    const before = readdirSync('/usr/bin').length
    const script =
      'for f in /usr/bin /etc /tmp /usr/local/bin /; do echo x > $f/remedium-mark && ls $f/remedium-mark; done; rm /usr/bin/env; ls /usr/bin/env'
    expect((await outputOf(script)).split('\n')).toHaveLength(7)
    for (const folder of ['/usr/bin', '/etc', '/tmp', '/usr/local/bin', '/'])
      expect(existsSync(join(folder, 'remedium-mark'))).toBe(false)
    expect(readdirSync('/usr/bin')).toHaveLength(before)
    expect(await outputOf('ls /usr/bin/remedium-mark 2>/dev/null; ls /usr/bin/env')).toBe('/usr/bin/env\n')
  })

  it('cannot mount, read the kernel log, create namespaces or set the clock', async () => {
    const script =
      'mount -t tmpfs x /mnt; dmesg; unshare -U true; unshare -m true; chroot / true; mknod /tmp/disk b 254 0; head -c 1 /tmp/disk; echo 1 > /proc/sys/vm/drop_caches; mkdir /sys/fs/cgroup/memory/out; date -s 2030-01-01'
    const refused = (await outputOf(script))
      .split('\n')
      .filter((line) => /denied|not permitted|Read-only/.test(line))
    expect(refused).toHaveLength(8)
  })

  it('does not get capabilities that are refused or ignored', async () => {
    const securityContext = { capabilities: { add: ['ALL'] } }
    const script =
      'mount -t tmpfs x /mnt || mount -o remount,rw /sys || umount /proc/sys; date -s 2030-01-01 || echo kept'
    expect((await outputOf(script, { securityContext })).split('\n')).toContain('kept')
  })

  it('has the default capabilities except those it drops', async () => {
    const read = 'grep CapEff /proc/self/status'
    expect(await outputOf(read)).toBe('CapEff:\t00000000a80425fb\n')
    const dropped = { securityContext: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } } }
    expect(await outputOf(read, dropped)).toBe('CapEff:\t0000000000000400\n')
  })

  it('runs as its user, with no_new_privs if requested', async () => {
    const securityContext = { runAsUser: 1234, runAsGroup: 99, allowPrivilegeEscalation: false }
    const spec = { securityContext: { supplementalGroups: [7], runAsUser: 1 } }
    const script = 'id -u; id -G; grep NoNewPrivs /proc/self/status; touch /etc/x'
    const text = await outputOf(script, { securityContext }, { spec })
    expect(text).toContain('1234\n99 7\nNoNewPrivs:\t1\n')
    expect(text).toContain('Permission denied')
  })

  it('cannot write to a read-only root filesystem', async () => {
    const securityContext = { readOnlyRootFilesystem: true }
    const spec = { volumes: [{ name: 'scratch', emptyDir: {} }] }
    const volumeMounts = [{ name: 'scratch', mountPath: '/scratch' }]
    const script =
      'for f in / /usr /etc /tmp /usr/local /var; do touch $f/x 2>/dev/null && echo $f; done; touch /scratch/x && echo scratch'
    expect(await outputOf(script, { securityContext, volumeMounts }, { spec })).toBe('scratch\n')
  })

  it('cannot mount a volume over its root, /dev or /sys, even through a link in another volume', async () => {
    const spec = {
      volumes: [
        { name: 'links', emptyDir: {} },
        { name: 'content', emptyDir: {} },
      ],
    }
    const volumeMounts = [
      { name: 'links', mountPath: '/links' },
      { name: 'content', mountPath: '/content' },
    ]
    // The link to `null` needs an existing target; /proc/version is harmless if the test fails.
    const script = `ln -s /dev /links/dev; ln -s /sys /links/sys; mkdir /content/fs
      ln -s /proc/version /content/null; for f in zero full random urandom tty; do touch /content/$f; done`
    const first = await fixture.start({ command: ['sh', '-c', script], volumeMounts }, { spec })
    expect(await first.exit).toMatchObject({ exitCode: 0 })
    for (const mountPath of ['/links/dev', '/links/sys', '/links/dev/pts', '/', '//', '/dev/pts/']) {
      const mounts = [volumeMounts[0]!, { name: 'content', mountPath }]
      const otherContainer = { name: 'other', command: ['sleep', '60'], volumeMounts: mounts }
      await expect(fixture.start(otherContainer, { inPodOf: first }), mountPath).rejects.toThrow(
        'a volume cannot be mounted at',
      )
    }
    const shared = {
      name: 'shared',
      command: ['true'],
      volumeMounts: [{ name: 'content', mountPath: '/dev/shm' }],
    }
    expect(await (await fixture.start(shared, { inPodOf: first })).exit).toMatchObject({ exitCode: 0 })
  })

  it('cannot change the memory of its main process', async () => {
    const program = `
import ctypes, errno
for file in ('/proc/1/mem', '/proc/1/task/1/mem', '/proc/self/mem'):
    try: open(file, 'r+b'); print(file, 'opened')
    except OSError as error: print(errno.errorcode[error.errno])
libc = ctypes.CDLL(None, use_errno=True)
for request in (16, 0x4206):
    print(libc.ptrace(request, 1, 0, 0), errno.errorcode[ctypes.get_errno()])`
    const script = `python3 -c "${program}"; wc -c < /proc/1/environ | grep -c .; ls /proc/1/fd | wc -l; echo written > /dev/stdout`
    const refused = `${'EROFS\n'.repeat(3)}${'-1 EPERM\n'.repeat(2)}`
    expect(await outputOf(script)).toBe(`${refused}1\n3\nwritten\n`)
  })

  it('has no access to other pods', async () => {
    const otherPod = await fixture.start({ command: ['sleep', '62'] })
    expect(await outputOf('ps -A -o args | grep -c "sleep 6[2]"; hostname')).toBe('0\npod-2\n')
    expect(otherPod.pod.metadata.name).toBe('pod-1')
  })
})
