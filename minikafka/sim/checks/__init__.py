"""What must hold: checkers that inspect every step, and what they have covered."""
