/** Tests the shell. The expected output is that of dash for the same scripts. */
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, runVirtually } from '#kit'
import { createCluster, createSimulatedRuntime, defaultNodes } from '#platform/kube/simulated'
import { createCommands } from './create-commands.ts'

const createShell = () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 5))
  const random = createRandom('shell')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    nodes: defaultNodes(1),
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({}) }),
  })
  const api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  const commands = createCommands({ api, discovery: cluster.discovery, clock, namespace: 'default' })
  const { signal } = new AbortController()
  return async (command: string | readonly string[], stdin = '') => {
    const outcome = await runVirtually(clock, () => commands.run({ command, stdin, signal }))
    return [outcome.exitCode, outcome.stdout, outcome.stderr] as const
  }
}

describe('a script', () => {
  it.each<[string, number, string, string?]>([
    ['echo a && echo b; false || echo c', 0, 'a\nb\nc\n'],
    ['true && false; echo $?', 0, '1\n'],
    ['! true; echo $?', 0, '1\n'],
    [`echo 'a  b' "c  d" e\\ f ""x`, 0, 'a  b c  d e f x\n'],
    [`X="a b"; echo $X "$X" \${X} \${Y:-z} "\${Y-w}"`, 0, 'a b a b a b z w\n'],
    ['echo $(echo one; echo two) "$(printf "a\\n\\nb\\n\\n")"', 0, 'one two a\n\nb\n'],
    ['echo `echo x`', 0, 'x\n'],
    ['for i in a "b c" $(echo d e); do echo "<$i>"; done', 0, '<a>\n<b c>\n<d>\n<e>\n'],
    ['if [ a = b ]; then echo 1; elif test -n x; then echo 2; else echo 3; fi', 0, '2\n'],
    ['printf "a 1\\nb 2\\n" | while read n v; do echo "$v-$n"; done', 0, '1-a\n2-b\n'],
    ['i=x; while [ "$i" != xxx ]; do i="x$i"; done; echo $i', 0, 'xxx\n'],
    [
      'for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; if [ $i = 3 ]; then break; fi; echo $i; done',
      0,
      '1\n',
    ],
    ['echo out; echo err >&2; exit 3', 3, 'out\n', 'err\n'],
    ['{ echo a; echo b >&2; } 2>&1 | wc -l', 0, '2\n'],
    ['(X=1; exit 4); echo "$? <$X>"', 0, '4 <>\n'],
    ['set -e; false; echo never', 1, ''],
    ['set -e; false || true; if false; then :; fi; echo still', 0, 'still\n'],
    ['set -o pipefail; echo x', 2, '', '/bin/sh: 1: set: Illegal option -o pipefail\n'],
    ['cat <<EOF\na $(echo b)\nEOF\necho c', 0, 'a b\nc\n'],
    [`X=1; cat <<'EOF'\na $X\nEOF`, 0, 'a $X\n'],
    ['echo a # comment\necho b', 0, 'a\nb\n'],
    ['echo a \\\n  b', 0, 'a b\n'],
    ['echo a{b,c} x=y [z]', 0, 'a{b,c} x=y [z]\n'],
    ['printf "%s=%d\\n" a 1 b 2', 0, 'a=1\nb=2\n'],
    ['echo "a\\tb"', 0, 'a\tb\n'],
    ['f() { echo "$#:$2"; return 3; }; f a "b c" || echo $?', 0, '2:b c\n3\n'],
    ['case abc in x) echo 1;; a*|y) echo 2;; esac', 0, '2\n'],
    ['echo $((1 + 2 * 3)) $((7 / 2 == 3 ? 10 : 20))', 0, '7 10\n'],
    ['while IFS=: read -r a b; do echo "$b-$a"; done <<E\n1:2:3\nE', 0, '2:3-1\n'],
    ['echo a\nif', 2, 'a\n', '/bin/sh: 2: Syntax error: end of file unexpected (expecting "then")\n'],
    ['date -u +%FT%TZ', 0, '2026-01-05T00:00:00Z\n'],
  ])('%s', async (script, code, stdout, stderr = '') => {
    expect(await createShell()(script)).toEqual([code, stdout, stderr])
  })

  it.each([
    ['echo a > /tmp/x', 'the redirection >/tmp/x'],
    ['sleep 1 &', 'a command in the background'],
    ['python3 -c 1', 'the program python3'],
    ['[[ a = a ]]', '[[ in a script'],
    ['echo $HOME', 'the variable $HOME'],
    ['ls *', 'the file name pattern *'],
    ['while true; do true; done', 'a script of more than 20000 commands'],
    ['kubectl describe pods', 'kubectl describe'],
    ['kubectl get pods --context x', 'kubectl --context'],
  ])('refuses %s', async (script, reason) => {
    await expect(createShell()(script)).rejects.toThrow(reason)
  })
})

describe('filters', () => {
  const TEXT = 'web-1   1/1   Running\nweb-2   0/1   Pending\ndb-1    1/1   Running\n'

  it.each([
    ['grep -v Running', 'web-2   0/1   Pending\n'],
    ['grep -c web', '2\n'],
    ['grep -Eo "web-[0-9]"', 'web-1\nweb-2\n'],
    ['grep "web\\|db" | wc -l', '3\n'],
    ["awk '{print $1}'", 'web-1\nweb-2\ndb-1\n'],
    ['awk \'$3 != "Running" {print $1, $3}\'', 'web-2 Pending\n'],
    ['awk \'NR>1 && /web/ {print $NF "!"}\'', 'Pending!\n'],
    ["awk -F/ '{print $2}'", '1   Running\n1   Pending\n1   Running\n'],
    ['head -n 1', 'web-1   1/1   Running\n'],
    ['tail -1', 'db-1    1/1   Running\n'],
    ['tail -n +3', 'db-1    1/1   Running\n'],
    ['sort | head -1', 'db-1    1/1   Running\n'],
    ["cut -d' ' -f1 | tr '\\n' ','", 'web-1,web-2,db-1,'],
  ])('%s', async (script, stdout) => {
    expect(await createShell()(script, TEXT)).toEqual([0, stdout, ''])
  })
})
