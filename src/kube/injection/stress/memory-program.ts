/**
 * Takes memory and works on it: bytes for each worker, grown to evenly over a time, and rewritten page by page ever
 * after, so that it costs what memory in use costs: time of the processor and room in its caches. A worker has several
 * hands, which share its bytes: a single process would leave half of a container's CPU to the others. In Perl, which every
 * Debian has: stress-ng cannot grow, starts again what the kernel has killed, and chooses itself who is killed first.
 */

/** Its name is set in a way that leaves its environment readable: by that it is found when the engine has died. */
export const memoryProgram = String.raw`
my ($workers, $size, $grow) = @ARGV;
my ($hands, $bytes, @all) = (16, 0);
sub name { open(my $file, '>', '/proc/self/comm'); print $file "memStress" }
sub uptime { open(my $file, '<', '/proc/uptime'); my ($now) = split(' ', <$file>); return $now * 1000 }
sub work {
  for my $chunk (@_) {
    for (my $at = 0; $at < length $chunk; $at += 4096) { vec($chunk, $at, 8) ^= 1 }
  }
}
sub hold {
  name();
  my ($have, $chunk, $start, @held) = (0, 1 << 20, uptime());
  while ($have < $bytes) {
    my $share = $grow > 0 ? (uptime() - $start) / $grow : 1;
    my $due = $share < 1 ? $bytes * $share : $bytes;
    while ($have < $due) {
      my $size = $bytes - $have < $chunk ? $bytes - $have : $chunk;
      push @held, "\1" x $size;
      $have += $size;
    }
    select(undef, undef, undef, 0.02) if $have < $bytes;
  }
  work(@held) while 1;
}
name();
for my $hand (1 .. $workers * $hands) {
  $bytes = int($size / $hands) + ($hand <= $workers ? $size % $hands : 0);
  my $child = fork;
  die "fork: $!\n" unless defined $child;
  hold() if $child == 0;
  push @all, $child;
}
while (wait() > 0) {
  next unless $? & 127;
  kill 'KILL', @all;
  # Those that were killed together are buried together.
  select(undef, undef, undef, 0.01);
  1 while waitpid(-1, 1) > 0;
  exit 137;
}
`
