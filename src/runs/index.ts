/** Many episodes: workers, what is repeated, what is kept, and what it proves of a suite. */
