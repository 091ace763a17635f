"""How large the private numbers of a run are, and how fine its answers."""

#: Real answers leave as multiples of 2^-BITS unless a run says otherwise.
BITS = 20
#: Private numbers lie in [-BOUND, BOUND]: every finite float does.
BOUND = 2**1024
