/* The inner loop of SAPS. All state is in arrays held by the caller (kernel.py), so a run can stop anywhere and go on.

   What makes a step cheap: of every variable the score is known (the weight that flipping it would break less the
   weight it would make), and of how many clauses each is. So a flip touches the clauses of one variable only. Of a
   clause of two literals the other one says all there is to know; of any other, the number of its true literals is
   kept and, where that is one, which it is.

   Numbers are added in a fixed order and never contracted, so that equal seeds give equal runs on every machine. */

#include <stdint.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

static const double LEAST_IMPROVEMENT = -0.1; /* a flip that lowers the weight by no more does not count as one */
static const double HEAVIEST_WEIGHT = 1000.0; /* an unsatisfied clause that weighs more has all divided by this */
static const int64_t REFRESH_STEPS = 1000;    /* after these, scores are summed up again: rounding errors gather */
static const double TIE = 1e-13;              /* scores that differ relatively by less are equal but for rounding */
static const int32_t NONE = -1;

/* Literal 2v says that variable v is true, 2v + 1 that it is not. The structures are those of kernel.py. */

typedef struct {
    int32_t clause;
    int32_t other; /* its other literal if it has two, else NONE */
} Use;

typedef struct {
    int32_t n_variables, n_clauses, n_empty;
    int32_t *starts;   /* clause c has literals[starts[c]] .. literals[starts[c + 1] - 1] */
    int32_t *literals;
    int32_t *firsts;   /* literal l stands in the clauses of uses[firsts[l]] .. uses[firsts[l + 1] - 1] */
    Use *uses;
} Formula;

typedef struct {
    double score;
    int32_t makes;  /* unsatisfied clauses it is in */
    int32_t breaks; /* clauses that only it satisfies */
    int32_t place;  /* on the list of the open ones */
} Variable;

typedef struct {
    int32_t true_literals;
    int32_t keeper; /* exclusive or of the variables of its true literals: of one that variable, of more any number */
} Count;

typedef struct {
    uint8_t *truth;       /* by literal */
    Variable *variables;
    int32_t *open;        /* the variables of unsatisfied clauses, in the first places */
    int32_t *ties;        /* room for the best of them */
    double *weights;      /* by clause */
    Count *counts;        /* by clause; of those with two literals as they were at the start */
    int32_t *unsatisfied; /* the unsatisfied clauses, in the first places */
    int32_t *places;      /* by clause: where it stands among them */
    int64_t n_unsatisfied, n_open, flips, null_steps;
    double total;         /* weight of all clauses */
    uint64_t random;
} State;

/* Index the clauses of a row, each ended by 0; false if a variable stands twice in one. ``seen`` is room by variable. */
EXPORT int32_t index_formula(Formula *formula, const int32_t *row, int64_t length, int32_t *seen) {
    int32_t *starts = formula->starts, *literals = formula->literals, *firsts = formula->firsts;
    int32_t n_literals = 0, clause = 0;
    for (int64_t at = 0; at < length; at++) {
        if (row[at]) {
            int32_t literal = row[at] > 0 ? 2 * (row[at] - 1) : -2 * (row[at] + 1) + 1;
            if (seen[literal >> 1] == clause + 1)
                return 0;
            seen[literal >> 1] = clause + 1;
            literals[n_literals++] = literal;
            firsts[literal + 2]++;
        } else {
            formula->n_empty += starts[clause] == n_literals;
            starts[++clause] = n_literals;
        }
    }
    for (int32_t literal = 0; literal < 2 * formula->n_variables; literal++)
        firsts[literal + 1] += firsts[literal]; /* now where the literal before begins; below, where it ends */
    for (clause = 0; clause < formula->n_clauses; clause++)
        for (int32_t first = starts[clause], last = starts[clause + 1] - 1, at = first; at <= last; at++) {
            Use use = {clause, last - first == 1 ? literals[first + last - at] : NONE};
            formula->uses[firsts[literals[at] + 1]++] = use;
        }
    return 1;
}

static inline uint64_t draw_word(State *state) { /* splitmix64 */
    uint64_t word = state->random += 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

static inline double draw_unit(State *state) {
    return (double)(int64_t)(draw_word(state) >> 11) * 0x1p-53;
}

static inline int64_t draw_below(int64_t limit, State *state) {
    return (int64_t)(draw_unit(state) * (double)limit);
}

/* Put a clause on the list of the unsatisfied, and its variables on theirs. */
static inline void add_unsatisfied(const Formula *formula, State *state, int32_t clause) {
    double weight = state->weights[clause];
    state->unsatisfied[state->n_unsatisfied] = clause;
    state->places[clause] = (int32_t)state->n_unsatisfied++;
    for (int32_t at = formula->starts[clause]; at < formula->starts[clause + 1]; at++) {
        int32_t name = formula->literals[at] >> 1;
        Variable *variable = &state->variables[name];
        variable->score -= weight;
        if (variable->makes++ == 0) {
            state->open[state->n_open] = name;
            variable->place = (int32_t)state->n_open++;
        }
    }
}

/* Take a clause off the list; the last of a list fills the gap. */
static inline void remove_unsatisfied(const Formula *formula, State *state, int32_t clause) {
    double weight = state->weights[clause];
    int32_t gap = state->places[clause], last = state->unsatisfied[--state->n_unsatisfied];
    state->unsatisfied[gap] = last;
    state->places[last] = gap;
    for (int32_t at = formula->starts[clause]; at < formula->starts[clause + 1]; at++) {
        Variable *variable = &state->variables[formula->literals[at] >> 1];
        variable->score += weight;
        if (--variable->makes == 0) {
            last = state->open[--state->n_open];
            state->open[variable->place] = last;
            state->variables[last].place = variable->place;
        }
    }
}

/* Note that a variable is (by = 1) or is no longer (by = -1) the only one to satisfy a clause. */
static inline void keep(State *state, int32_t name, int32_t by, double weight) {
    state->variables[name].breaks += by;
    state->variables[name].score += by * weight;
}

/* Note that a literal of a clause has become true: who of the others is true decides what that changes. */
static inline void gain(const Formula *formula, State *state, int32_t name, Use use) {
    int32_t others, keeper = use.other >> 1;
    if (use.other != NONE) {
        others = state->truth[use.other];
    } else {
        Count *count = &state->counts[use.clause];
        others = count->true_literals++;
        keeper = count->keeper;
        count->keeper ^= name;
    }
    if (others == 1) {
        keep(state, keeper, -1, state->weights[use.clause]);
    } else if (others == 0) {
        remove_unsatisfied(formula, state, use.clause);
        keep(state, name, 1, state->weights[use.clause]);
    }
}

/* Note that it has become false. */
static inline void lose(const Formula *formula, State *state, int32_t name, Use use) {
    int32_t others, keeper = use.other >> 1;
    if (use.other != NONE) {
        others = state->truth[use.other];
    } else {
        Count *count = &state->counts[use.clause];
        others = --count->true_literals;
        keeper = count->keeper ^= name;
    }
    if (others == 1) {
        keep(state, keeper, 1, state->weights[use.clause]);
    } else if (others == 0) {
        keep(state, name, -1, state->weights[use.clause]);
        add_unsatisfied(formula, state, use.clause);
    }
}

static void flip(const Formula *formula, State *state, int32_t name) {
    int32_t fresh = 2 * name + state->truth[2 * name], stale = fresh ^ 1;
    state->truth[fresh] = 1;
    state->truth[stale] = 0;
    for (int32_t at = formula->firsts[fresh]; at < formula->firsts[fresh + 1]; at++)
        gain(formula, state, name, formula->uses[at]);
    for (int32_t at = formula->firsts[stale]; at < formula->firsts[stale + 1]; at++)
        lose(formula, state, name, formula->uses[at]);
}

/* Return a variable with the best score of those in unsatisfied clauses, or NONE if no flip improves. */
static int32_t choose_greedily(State *state) {
    double best = 0.0;
    for (int64_t at = 0; at < state->n_open; at++) {
        double score = state->variables[state->open[at]].score;
        best = score < best ? score : best;
    }
    if (best >= LEAST_IMPROVEMENT)
        return NONE;
    double limit = best - TIE * best;
    int64_t found = 0;
    for (int64_t at = 0; at < state->n_open; at++) {
        state->ties[found] = state->open[at];
        found += state->variables[state->open[at]].score <= limit;
    }
    return state->ties[found == 1 ? 0 : draw_below(found, state)];
}

/* Sum up the scores and the total weight from the weights. */
static void sum_scores(const Formula *formula, State *state) {
    for (int32_t name = 0; name < formula->n_variables; name++)
        state->variables[name].score = 0.0;
    double total = 0.0;
    for (int32_t clause = 0; clause < formula->n_clauses; clause++) {
        const int32_t *first = &formula->literals[formula->starts[clause]];
        const int32_t *end = &formula->literals[formula->starts[clause + 1]];
        double weight = state->weights[clause];
        int32_t true_literals = state->counts[clause].true_literals, keeper = state->counts[clause].keeper;
        if (end - first == 2) {
            true_literals = state->truth[first[0]] + state->truth[first[1]];
            keeper = first[state->truth[first[1]]] >> 1;
        }
        total += weight;
        int32_t has_keeper = true_literals == 1; /* else variable 0 gains nothing, which is faster than to branch */
        state->variables[keeper & -has_keeper].score += has_keeper * weight;
        if (true_literals == 0)
            for (const int32_t *literal = first; literal < end; literal++)
                state->variables[*literal >> 1].score -= weight;
    }
    state->total = total;
}

/* Move all weights towards their mean. */
static void smooth(const Formula *formula, State *state, double rho, int32_t convex) {
    double factor = convex ? rho : 1.0, more = (1.0 - rho) * (state->total / formula->n_clauses);
    for (int32_t clause = 0; clause < formula->n_clauses; clause++)
        state->weights[clause] = factor * state->weights[clause] + more;
    for (int32_t name = 0; name < formula->n_variables; name++) {
        Variable *variable = &state->variables[name];
        variable->score = factor * variable->score + more * (variable->breaks - variable->makes);
    }
    state->total = factor * state->total + more * formula->n_clauses;
}

/* Multiply the weights of the unsatisfied clauses, after a division of all where one is too heavy. */
static void scale(const Formula *formula, State *state, double alpha) {
    double heaviest = 0.0;
    for (int64_t at = 0; at < state->n_unsatisfied; at++) {
        double weight = state->weights[state->unsatisfied[at]];
        heaviest = weight > heaviest ? weight : heaviest;
    }
    if (heaviest > HEAVIEST_WEIGHT) {
        for (int32_t clause = 0; clause < formula->n_clauses; clause++)
            state->weights[clause] /= HEAVIEST_WEIGHT;
        sum_scores(formula, state);
    }
    for (int64_t place = 0; place < state->n_unsatisfied; place++) {
        int32_t clause = state->unsatisfied[place];
        double more = (alpha - 1.0) * state->weights[clause];
        state->weights[clause] += more;
        state->total += more;
        for (int32_t at = formula->starts[clause]; at < formula->starts[clause + 1]; at++)
            state->variables[formula->literals[at] >> 1].score -= more;
    }
}

static int32_t count_true(const Formula *formula, const State *state, int32_t clause) {
    int32_t found = 0;
    for (int32_t at = formula->starts[clause]; at < formula->starts[clause + 1]; at++)
        found += state->truth[formula->literals[at]];
    return found;
}

/* Set every variable to true or false with equal chances, and count. */
EXPORT void start_search(const Formula *formula, State *state) {
    for (int32_t name = 0; name < formula->n_variables; name++) {
        uint8_t value = (uint8_t)(draw_word(state) >> 63);
        state->truth[2 * name] = value;
        state->truth[2 * name + 1] = !value;
    }
    for (int32_t clause = 0; clause < formula->n_clauses; clause++) {
        Count *count = &state->counts[clause];
        state->weights[clause] = 1.0;
        count->true_literals = count_true(formula, state, clause);
        for (int32_t at = formula->starts[clause]; at < formula->starts[clause + 1]; at++)
            count->keeper ^= state->truth[formula->literals[at]] ? formula->literals[at] >> 1 : 0;
        if (count->true_literals == 0)
            add_unsatisfied(formula, state, clause);
        else if (count->true_literals == 1)
            keep(state, count->keeper, 1, 1.0);
    }
    state->total = formula->n_clauses;
}

/* Take up to that many steps, until no clause is unsatisfied. */
EXPORT void search(const Formula *formula, State *state, double alpha, double rho, double ps, double wp,
                   int32_t convex, int64_t steps) {
    int64_t begin = state->flips + state->null_steps;
    for (int64_t step = begin; step < begin + steps && state->n_unsatisfied; step++) {
        if (step % REFRESH_STEPS == REFRESH_STEPS - 1)
            sum_scores(formula, state);
        int32_t name = choose_greedily(state);
        if (name == NONE && draw_unit(state) < wp)
            name = (int32_t)draw_below(formula->n_variables, state);
        if (name != NONE) {
            state->flips++;
            flip(formula, state, name);
        } else {
            state->null_steps++;
            if (draw_unit(state) < ps)
                smooth(formula, state, rho, convex);
            scale(formula, state, alpha);
        }
    }
}

/* Count the unsatisfied clauses again, by nothing but the formula and the truth of its literals. */
EXPORT int32_t count_unsatisfied(const Formula *formula, const State *state) {
    int32_t found = 0;
    for (int32_t clause = 0; clause < formula->n_clauses; clause++)
        found += count_true(formula, state, clause) == 0;
    return found;
}
