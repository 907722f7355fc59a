/**
 * A Perl program that allocates memory for each worker, growing evenly over a given time. It then rewrites the memory
 * page by page, so that it uses CPU time and caches like memory in use. Each worker has several processes, because
 * a single one would leave half of a container's CPU unused. stress-ng is not suitable: it cannot grow gradually,
 * it restarts killed workers, and it sets the OOM score itself. Every Debian installation includes Perl.
 */

/**
 * Sets its name by prctl (PR_SET_NAME), which child processes inherit. An assignment to `$0` would overwrite its environment,
 * by which it is found if the engine has died.
 */
export const memoryProgram = String.raw`
use POSIX ();
my ($workers, $size, $grow) = @ARGV;
my ($perWorker, $bytes, @all) = (16, 0);
my $prctl = (POSIX::uname())[4] eq 'aarch64' ? 167 : 157;
sub uptime { open(my $file, '<', '/proc/uptime'); my ($now) = split(' ', <$file>); return $now * 1000 }
sub work {
  for my $chunk (@_) {
    for (my $at = 0; $at < length $chunk; $at += 4096) { vec($chunk, $at, 8) ^= 1 }
  }
}
sub hold {
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
syscall($prctl, 15, my $name = 'memStress') == 0 or die "prctl: $!\n";
for my $index (1 .. $workers * $perWorker) {
  $bytes = int($size / $perWorker) + ($index <= $workers ? $size % $perWorker : 0);
  my $child = fork;
  die "fork: $!\n" unless defined $child;
  hold() if $child == 0;
  push @all, $child;
}
while (wait() > 0) {
  next unless $? & 127;
  kill 'KILL', @all;
  # Reaps processes that were killed together.
  select(undef, undef, undef, 0.01);
  1 while waitpid(-1, 1) > 0;
  exit 137;
}
`
